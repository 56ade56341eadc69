import { Server, ServerCredentials, type ServerDuplexStream, status } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { type Clock, systemClock } from '@lateen/kernel';
import type { KopiaSession } from '@lateen/repository';
import { FakeClock, letWorkRun, testCertificates } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ErrorResponse_Code,
  KopiaRepositoryService,
  type SessionRequest,
  type SessionResponse,
} from '../generated/repository-server.ts';
import { connectSession, type SessionPeer } from './connect-session.ts';
import { beginSession } from './session-client.ts';
import { sessionLimits } from './session-limits.ts';
import { SessionStream } from './session-stream.ts';

const { ca, otherCa, server: pair, clients } = testCertificates();
const { signal } = new AbortController();
const never = { signal };
type Call = ServerDuplexStream<SessionRequest, SessionResponse>;
type Body = NonNullable<SessionResponse['response']>;

const kopia = {
  redact: (text: string) => text.replaceAll('hunter2', '***'),
  failure: (exit: { stderr: string }, doing: string) => new AppError('OBJECT_STORE_FULL', `${doing}: ${exit.stderr}`),
} as unknown as KopiaSession;

let ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends) end();
  ends = [];
});

/** A gRPC server with TLS that answers the beginning of a session; everything else is for `onRequest`. */
async function serve(onRequest: (request: SessionRequest, call: Call) => void): Promise<SessionPeer> {
  const server = new Server({ 'grpc.max_receive_message_length': sessionLimits.messageBytesMax });
  const session = (call: Call) => {
    const [password] = call.metadata.get('kopia-password');
    if (password !== 'p') return call.emit('error', { code: status.PERMISSION_DENIED, details: 'access denied' });
    call.on('data', (request: SessionRequest) => {
      if (request.request?.$case === 'initializeSession') answer(call, request, parameters);
      else onRequest(request, call);
    });
    call.on('error', () => {});
    call.on('end', () => call.end());
  };
  server.addService(KopiaRepositoryService, { session });
  const keys = [{ private_key: Buffer.from(pair.key), cert_chain: Buffer.from(pair.cert) }];
  const port = await new Promise<number>((resolve, reject) => {
    const secure = ServerCredentials.createSsl(null, keys);
    server.bindAsync('127.0.0.1:0', secure, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  ends.push(() => server.forceShutdown());
  return { address: `127.0.0.1:${port}`, certificate: pair.cert + ca, user: 'default@default', password: 'p' };
}

const parameters: Body = {
  $case: 'initializeSession',
  value: {
    parameters: { hashFunction: 'h', splitter: 's', supportsContentCompression: true, hmacSecret: Buffer.of() },
  },
};

const answer = (call: Call, { requestId }: SessionRequest, response: Body, hasMore = false): void =>
  void call.write({ requestId, hasMore, response });

async function connect(peer: SessionPeer, clock: Clock = systemClock, explain = async () => undefined as never) {
  const connection = connectSession(peer);
  ends.push(() => connection.close());
  const stream = new SessionStream(connection.open(), clock, explain);
  return { stream, ...(await beginSession(stream, kopia, { purpose: 'test', signal })) };
}

const written = (contentId: string): Body => ({ $case: 'writeContent', value: { contentId } });
const dataOf = ({ request }: SessionRequest): string =>
  request?.$case === 'writeContent' ? request.value.data.toString() : '';

describe('a client of the repository server', () => {
  it('matches each response to its request, in any order', async () => {
    const held: SessionRequest[] = [];
    const peer = await serve((request, call) => {
      held.push(request);
      if (held.length < 3) return;
      for (const one of held.reverse()) answer(call, one, written(`id of ${dataOf(one)}`));
    });
    const client = await connect(peer);
    const write = (text: string) => client.writeContent({ prefix: '', data: Buffer.from(text) }, never);
    expect(await Promise.all(['a', 'b', 'c'].map(write))).toEqual(['id of a', 'id of b', 'id of c']);
    expect(client.parameters).toEqual({ hashFunction: 'h', splitter: 's', supportsContentCompression: true });
  });

  it('joins a response that arrives in parts', async () => {
    const part = (id: string): Body => ({
      $case: 'findManifests',
      value: { metadata: [{ id, labels: { type: 'snapshot' }, length: 1, modTimeNanos: 0n }] },
    });
    const peer = await serve((request, call) => {
      answer(call, request, part('1'), true);
      answer(call, request, part('2'), true);
      answer(call, request, part('3'));
    });
    const found = await (await connect(peer)).findManifests({}, never);
    expect(found.map(({ id }) => id)).toEqual(['1', '2', '3']);
  });

  it('has eight requests in progress, and sends the next when one is answered', async () => {
    const arrived: [SessionRequest, Call][] = [];
    const peer = await serve((request, call) => void arrived.push([request, call]));
    const client = await connect(peer);
    const data = Buffer.alloc(1024 * 1024);
    const writes = Array.from({ length: 20 }, () => client.writeContent({ prefix: '', data }, never));
    let most = 0;
    for (let answered = 0; answered < 20; ) {
      await letWorkRun();
      most = Math.max(most, arrived.length);
      const [first] = arrived.splice(0, 1);
      if (first === undefined) continue;
      answer(first[1], first[0], written('x'));
      answered += 1;
    }
    expect(await Promise.all(writes)).toHaveLength(20);
    expect(most).toBeLessThanOrEqual(sessionLimits.inFlightMax);
  });

  it.each([
    [ErrorResponse_Code.CONTENT_NOT_FOUND, 'CONTENT_MISSING'],
    [ErrorResponse_Code.MANIFEST_NOT_FOUND, 'SNAPSHOT_NOT_FOUND'],
    [ErrorResponse_Code.ACCESS_DENIED, 'REPOSITORY_SESSION_DENIED'],
    [ErrorResponse_Code.STREAM_BROKEN, 'REPOSITORY_SESSION_LOST'],
    // The message of the program.
    [ErrorResponse_Code.UNKNOWN_ERROR, 'OBJECT_STORE_FULL'],
  ])('maps the code %d to its own error', async (code, expected) => {
    const peer = await serve((request, call) =>
      answer(call, request, { $case: 'error', value: { code, message: 'no space left, hunter2' } }),
    );
    await expect((await connect(peer)).getContent('c', never)).rejects.toMatchObject({ code: expected });
  });

  it('rejects all pending and later requests when the connection is lost, and reports how the server ended', async () => {
    const peer = await serve(() => ends[0]?.());
    const killed = new AppError('ENGINE_KILLED', 'killed by SIGKILL', { nextStep: 'memory' });
    const client = await connect(peer, systemClock, async () => killed as never);
    const waiting = [client.flush(never), client.getContent('c', never)];
    for (const one of await Promise.allSettled(waiting))
      expect(one).toMatchObject({ reason: { code: 'REPOSITORY_SESSION_LOST', retry: 'soon', cause: killed } });
    await expect(client.flush(never)).rejects.toMatchObject({ code: 'REPOSITORY_SESSION_LOST' });
    expect(client.stream.over.aborted).toBe(true);
  });

  it('treats a missing response as a lost connection', async () => {
    const clock = new FakeClock('2030-01-01T00:00:00Z');
    let arrived = () => {};
    const first = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const client = await connect(await serve(() => arrived()), clock);
    const flush = client.flush(never);
    const expected = expect(flush).rejects.toMatchObject({ code: 'REPOSITORY_SESSION_LOST' });
    await first;
    await clock.advance(sessionLimits.requestMs);
    await expected;
  });

  it('aborts one request, and continues with the others', async () => {
    const arrived: [SessionRequest, Call][] = [];
    const peer = await serve((request, call) => void arrived.push([request, call]));
    const client = await connect(peer);
    const stop = new AbortController();
    const given = client.writeContent({ prefix: '', data: Buffer.from('a') }, { signal: stop.signal });
    const kept = client.writeContent({ prefix: '', data: Buffer.from('b') }, never);
    while (arrived.length < 2) await letWorkRun();
    stop.abort(new Error('told to stop'));
    await expect(given).rejects.toThrow('told to stop');
    for (const [request, call] of arrived) answer(call, request, written(dataOf(request)));
    expect(await kept).toBe('b');
  });

  it.each([
    ['an unknown CA', otherCa],
    ['the right CA, but for another server', clients[0].cert + ca],
  ])('rejects a server with a certificate of %s', async (_, certificate) => {
    const requests: SessionRequest[] = [];
    const peer = await serve((request) => void requests.push(request));
    await expect(connect({ ...peer, certificate })).rejects.toMatchObject({
      code: 'REPOSITORY_SESSION_LOST',
      message: expect.stringMatching(/certificate/),
    });
    expect(requests).toEqual([]);
  });

  it('is rejected with a wrong password', async () => {
    const peer = await serve(() => {});
    const refused = connect({ ...peer, password: 'q' });
    await expect(refused).rejects.toMatchObject({ code: 'REPOSITORY_SESSION_DENIED', retry: 'never' });
  });
});
