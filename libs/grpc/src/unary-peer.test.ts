import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trailerOf } from './client.ts';
import { connectUnix, unaryPeer } from './connect.ts';
import { framed } from './message-frames.ts';
import type { ServiceHandlers, ServiceOptions } from './service.ts';
import { TestClient, type TestServer, testService } from './test-service.ts';
import type { UnaryPeer } from './unary-peer.ts';
import { serveUnix, type UnixServer } from './unix-server.ts';

const never = new AbortController().signal;
const answerBytesMax = 100_000;
let directory = '';
let server: UnixServer | undefined;
let strange: Http2Server | undefined;
let peer: UnaryPeer | undefined;
const endpoint = () => `unix://${join(directory, 'unary.sock')}`;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-unary-'));
});
afterEach(async () => {
  peer?.[Symbol.dispose]();
  await server?.stop(0);
  strange?.close();
  server = undefined;
  strange = undefined;
  await rm(directory, { recursive: true, force: true });
});

async function serve(handlers: ServiceHandlers<TestServer>, options: Partial<ServiceOptions> = {}): Promise<void> {
  server = await serveUnix(endpoint(), [testService(handlers, options)], systemClock);
}

/** A server that sends responses that no gRPC server sends. */
async function serveStrange(answer: (stream: ServerHttp2Stream) => void): Promise<void> {
  strange = createServer().on('stream', answer);
  await new Promise<void>((resolve) => strange?.listen(join(directory, 'unary.sock'), resolve));
}

function connect(headers = {}) {
  peer = unaryPeer(endpoint(), answerBytesMax);
  return connectUnix<TestServer>(endpoint(), TestClient, { answerBytesMax, unaryPeer: peer, headers });
}

const say = (text = 'a', signal = never) => connect().say({ text }, { signal });
const body = { ':status': 200, 'content-type': 'application/grpc' };

/** Sends these bytes as the response, followed by this status. */
function withBytes(bytes: Buffer, grpcStatus = '0') {
  return (stream: ServerHttp2Stream) => {
    stream.respond(body, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': grpcStatus }));
    stream.end(bytes);
  };
}

describe('a unary call', () => {
  it('returns one response per request, for many calls at once', async () => {
    await serve({ say: async ({ text }) => ({ text: `${text}!` }) });
    using client = connect();
    const texts = Array.from({ length: 100 }, (_, index) => String(index));
    const answers = await Promise.all(texts.map((text) => client.say({ text }, { signal: never })));
    expect(answers).toEqual(texts.map((text) => ({ text: `${text}!` })));
  });

  it('reads a response that arrives in several chunks', async () => {
    const text = 'x'.repeat(90_000);
    await serve({ say: async () => ({ text }) });
    await expect(say()).resolves.toEqual({ text });
  });

  it('sends the headers of its client', async () => {
    await serve({ say: async (_request, { header }) => ({ text: header('lateen-test') ?? '' }) });
    using client = connect({ 'lateen-test': 'yes' });
    await expect(client.say({ text: '' }, { signal: never })).resolves.toEqual({ text: 'yes' });
  });

  it('fails with the status, message and trailers of its handler, even with characters that HTTP headers do not allow', async () => {
    const metadata = new Metadata();
    metadata.set('more-bin', Buffer.from([1, 2, 3]));
    const errors = () => ({ code: 5, details: 'nicht gefunden: äöü 100 %', metadata });
    await serve(
      {
        say: async () => {
          throw new Error('whatever');
        },
      },
      { errors },
    );
    const failed = await say().catch((error: unknown) => error);
    expect(failed).toMatchObject({ code: 'NOT_FOUND', message: 'say: nicht gefunden: äöü 100 %' });
    expect(trailerOf(failed, 'more-bin')).toEqual(Buffer.from([1, 2, 3]));
  });

  it('throws the AppError of the server when the server sends whole errors', async () => {
    const thrown = new AppError('VOLUME_BUSY', 'volume a is busy', { retry: 'later', nextStep: 'Wait.' });
    await serve({ say: () => Promise.reject(thrown) }, { errors: 'whole' });
    await expect(say()).rejects.toMatchObject({ code: 'VOLUME_BUSY', retry: 'later', nextStep: 'Wait.' });
  });

  it('fails with UNIMPLEMENTED for an unknown method', async () => {
    await serve({});
    await expect(say()).rejects.toMatchObject({ code: 'UNIMPLEMENTED' });
  });
});

describe('an aborted unary call', () => {
  it('rejects at once with the reason, and aborts its handler', async () => {
    const told = Promise.withResolvers<unknown>();
    const begun = Promise.withResolvers<void>();
    await serve({
      say: async (_request, { signal }) => {
        begun.resolve();
        signal.addEventListener('abort', () => told.resolve(signal.reason), { once: true });
        await systemClock.sleep(60_000, signal);
        return { text: '' };
      },
    });
    const stop = new AbortController();
    const running = say('a', stop.signal);
    await begun.promise;
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    await expect(told.promise).resolves.toMatchObject({ name: 'AbortError' });
  });

  it("does not abort its handler's signal after the response", async () => {
    const given: AbortSignal[] = [];
    await serve({
      say: async ({ text }, { signal }) => {
        given.push(signal);
        return { text };
      },
    });
    await say();
    await server?.stop(1_000);
    expect(given.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it('does not start after its signal has aborted', async () => {
    await expect(say('a', AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});

describe('a unary call and a lost connection', () => {
  it('fails with UNAVAILABLE on a closed port, and works when the server is up', async () => {
    using client = connect();
    await expect(client.say({ text: '' }, { signal: never })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await serve({ say: async () => ({ text: 'now' }) });
    await expect(client.say({ text: '' }, { signal: never })).resolves.toEqual({ text: 'now' });
  });

  it('fails with UNAVAILABLE when the server goes away during the call, and the next call reconnects', async () => {
    const begun = Promise.withResolvers<void>();
    await serveStrange((stream) => {
      stream.on('error', () => {});
      begun.resolve();
    });
    strange?.on('session', (session) => void begun.promise.then(() => session.destroy()));
    using client = connect();
    await expect(client.say({ text: '' }, { signal: never })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await new Promise<void>((resolve) => strange?.close(() => resolve()));
    await serve({ say: async () => ({ text: 'again' }) });
    await expect(client.say({ text: '' }, { signal: never })).resolves.toEqual({ text: 'again' });
  });

  it('fails with UNAVAILABLE when its client has been closed, before or during the call', async () => {
    const begun = Promise.withResolvers<void>();
    await serve({
      say: async (_request, { signal }) => {
        begun.resolve();
        await systemClock.sleep(60_000, signal);
        return { text: '' };
      },
    });
    using client = connect();
    const running = client.say({ text: '' }, { signal: never });
    await begun.promise;
    peer?.[Symbol.dispose]();
    await expect(running).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(client.say({ text: '' }, { signal: never })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

describe('an invalid response', () => {
  const good = framed(Buffer.from('{"text":"a"}'));
  const compressed = Buffer.from(good);
  compressed[0] = 1;
  const tooLong = Buffer.from(good);
  tooLong.writeUInt32BE(answerBytesMax + 1, 1);

  it.each([
    { what: 'is larger than allowed', bytes: framed(Buffer.alloc(answerBytesMax + 1)), code: 'RESOURCE_EXHAUSTED' },
    { what: 'only says that it will be larger', bytes: tooLong, code: 'RESOURCE_EXHAUSTED' },
    { what: 'is compressed', bytes: compressed, code: 'INTERNAL' },
    { what: 'is truncated', bytes: good.subarray(0, -1), code: 'INTERNAL' },
    { what: 'is two messages', bytes: Buffer.concat([good, good]), code: 'INTERNAL' },
    { what: 'is empty', bytes: Buffer.alloc(0), code: 'INTERNAL' },
    { what: 'is not a message of this method', bytes: framed(Buffer.from('{')), code: 'INTERNAL' },
    { what: 'has an unknown status', bytes: good, grpcStatus: '99', code: 'UNKNOWN' },
  ])('fails with $code when it $what', async ({ bytes, code, grpcStatus }) => {
    await serveStrange(withBytes(bytes, grpcStatus));
    await expect(say()).rejects.toMatchObject({ code });
  });

  it('accepts a response of the maximum size', async () => {
    const text = 'x'.repeat(answerBytesMax - '{"text":""}'.length);
    await serveStrange(withBytes(framed(Buffer.from(JSON.stringify({ text })))));
    await expect(say()).resolves.toEqual({ text });
  });

  it('fails with UNKNOWN when a server without gRPC answers', async () => {
    await serveStrange((stream) => {
      stream.respond({ ':status': 404 });
      stream.end('no such page');
    });
    await expect(say()).rejects.toMatchObject({
      code: 'UNKNOWN',
      message: 'say: HTTP status 404 in place of an answer',
    });
  });

  it('fails with UNAVAILABLE when the stream ends before a status', async () => {
    await serveStrange((stream) => {
      stream.respond(body);
      stream.end(good);
    });
    await expect(say()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
