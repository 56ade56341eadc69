import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { trailerOf } from './client.ts';
import { connectUnix } from './connect.ts';
import type { ServiceHandlers, ServiceOptions } from './service.ts';
import { TestClient, type TestServer, testService } from './test-service.ts';
import { serveUnix, type UnixServer } from './unix-server.ts';

const never = new AbortController().signal;
let directory = '';
let server: UnixServer | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-requests-'));
});
afterEach(async () => {
  await server?.stop(0);
  await rm(directory, { recursive: true, force: true });
});

async function serve(handlers: ServiceHandlers<TestServer>, options: Partial<ServiceOptions> = {}, bytesMax?: number) {
  const endpoint = `unix://${join(directory, 'requests.sock')}`;
  const limits = bytesMax === undefined ? {} : { requestBytesMax: bytesMax };
  server = await serveUnix(endpoint, [testService(handlers, options)], systemClock, limits);
  return endpoint;
}
const connect = (endpoint: string) => connectUnix<TestServer>(endpoint, TestClient);

async function total(requests: AsyncIterable<{ value: number }>): Promise<{ total: number }> {
  let sum = 0;
  for await (const { value } of requests) sum += value;
  return { total: sum };
}
async function* upTo(last: number) {
  for (let value = 1; value <= last; value++) yield { value };
}

describe('a stream of requests with one answer', () => {
  it('delivers every request in order, and then the response', async () => {
    using client = connect(await serve({ sum: total }));
    expect(await client.sum(upTo(1_000), { signal: never })).toEqual({ total: 500_500 });
  });

  it('responds to an empty stream', async () => {
    using client = connect(await serve({ sum: total }));
    expect(await client.sum(upTo(0), { signal: never })).toEqual({ total: 0 });
  });

  it('stops sending when the handler fails early', async () => {
    using client = connect(
      await serve({
        sum: async () => {
          throw new AppError('PERMISSION_DENIED', 'nothing is taken here');
        },
      }),
    );
    async function* endless() {
      for (;;) yield { value: 1 };
    }
    await expect(client.sum(endless(), { signal: never })).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
  });

  it('rejects with the error of the request source, and cancels the call', async () => {
    const began = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    using client = connect(
      await serve({
        sum: async (requests, { signal }) => {
          signal.addEventListener('abort', () => ended.resolve(signal.reason));
          began.resolve();
          return total(requests);
        },
      }),
    );
    async function* broken() {
      yield { value: 1 };
      await began.promise;
      throw new Error('the disk is gone');
    }
    await expect(client.sum(broken(), { signal: never })).rejects.toThrow('the disk is gone');
    expect(await ended.promise).toMatchObject({ name: 'AbortError' });
  });

  it('ends with the reason of the signal, even when the next request never comes', async () => {
    using client = connect(await serve({ sum: total }));
    const stop = new AbortController();
    async function* silent() {
      yield { value: 1 };
      stop.abort(new Error('enough'));
      await new Promise(() => {});
    }
    await expect(client.sum(silent(), { signal: stop.signal })).rejects.toThrow('enough');
  });
});

describe('an incomplete stream of requests', () => {
  it('is never treated as complete', async () => {
    const began = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<unknown>();
    using client = connect(
      await serve({
        sum: async (requests) => {
          began.resolve();
          const answer = total(requests);
          answer.then(ended.resolve, ended.resolve);
          return answer;
        },
      }),
    );
    async function* broken() {
      yield { value: 1 };
      await began.promise;
      throw new Error('the disk is gone');
    }
    await expect(client.sum(broken(), { signal: never })).rejects.toThrow('the disk is gone');
    expect(await ended.promise).toMatchObject({ name: 'AbortError', message: 'the caller went away' });
  });
});

describe('the data that a server reads of an incomplete stream', () => {
  let closing = () => {};
  afterEach(() => closing());

  /** Never responds. `reading` is emitted when it reads data of a call; the last byte of each call is kept. */
  async function serveBytes() {
    const last: (number | undefined)[] = [];
    const reads = new EventEmitter();
    const plain = createServer((request) => {
      const call = last.push(undefined) - 1;
      request.on('error', () => {});
      request.on('data', (piece: Buffer) => {
        last[call] = piece.at(-1);
        reads.emit('reading');
      });
    });
    closing = () => plain.close();
    const socket = join(directory, 'bytes.sock');
    await once(plain.listen(socket), 'listening');
    return { endpoint: `unix://${socket}`, reads, last };
  }

  it.each([
    ['when the source fails', true],
    ['on abort', false],
  ])('ends with a message that no server can read, %s', async (_when, fails) => {
    const { endpoint, reads, last } = await serveBytes();
    using client = connect(endpoint);
    for (let count = 0; count < 50; count++) {
      const stop = new AbortController();
      async function* broken() {
        const reading = once(reads, 'reading');
        yield { value: count };
        await reading;
        if (fails) throw new Error('the disk is gone');
        stop.abort(new Error('the disk is gone'));
        await new Promise(() => {});
      }
      await expect(client.sum(broken(), { signal: stop.signal })).rejects.toThrow('the disk is gone');
    }
    await expect.poll(() => last).toEqual(Array.from({ length: 50 }, () => 0x07));
  });
});

describe('streams in both directions', () => {
  it('answers each request as it arrives', async () => {
    const endpoint = await serve({
      echo: async function* (requests) {
        for await (const { text } of requests) yield { text: text.toUpperCase() };
      },
    });
    const client = new TestClient(`unix:${endpoint.slice('unix://'.length)}`, credentials.createInsecure(), {});
    const call = client.makeBidiStreamRequest(
      '/test.Test/Echo',
      (value: unknown) => Buffer.from(JSON.stringify(value)),
      (bytes) => JSON.parse(bytes.toString()) as { text: string },
    );
    const seen: string[] = [];
    call.write({ text: 'a' });
    for await (const { text } of call) {
      seen.push(text);
      if (seen.length < 3) call.write({ text: 'b' });
      else call.end();
    }
    client.close();
    expect(seen).toEqual(['A', 'B', 'B']);
  });
});

describe('options of a client', () => {
  it('accepts responses up to the given size', async () => {
    const endpoint = await serve({ say: async ({ text }) => ({ text: text.repeat(1_000) }) });
    using client = connectUnix<TestServer>(endpoint, TestClient, { answerBytesMax: 6_000_000 });
    expect((await client.say({ text: 'x'.repeat(5_000) }, { signal: never })).text.length).toBe(5_000_000);
    const answer = client.say({ text: 'x'.repeat(7_000) }, { signal: never });
    await expect(answer).rejects.toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
  });

  it('returns the trailers that a protocol sends with a status', async () => {
    const metadata = new Metadata();
    metadata.set('grpc-status-details-bin', Buffer.from('details'));
    const fails = { say: async () => Promise.reject(new Error('no')) };
    using client = connect(await serve(fails, { errors: () => ({ code: 2, details: 'no', metadata }) }));
    const error = await client.say({ text: '' }, { signal: never }).catch((caught: unknown) => caught);
    expect(Buffer.from(trailerOf(error, 'grpc-status-details-bin') ?? []).toString()).toBe('details');
    expect(trailerOf(error, 'other-bin')).toBeUndefined();
    expect(trailerOf(new Error('no'), 'grpc-status-details-bin')).toBeUndefined();
  });
});

describe('options of a service and of its server', () => {
  it('lets a protocol define its own form of errors', async () => {
    const fails = { say: async () => Promise.reject(new Error('no')) };
    const errors = (error: unknown) => ({ code: 2, details: `in our words: ${(error as Error).message}` });
    using client = connect(await serve(fails, { errors }));
    const caught = (await client.say({ text: '' }, { signal: never }).catch((error: unknown) => error)) as AppError;
    expect((caught.cause as ServiceError).details).toBe('in our words: no');
    expect(caught.code).toBe('UNKNOWN');
  });

  it('rejects a request above its size limit, and accepts one below', async () => {
    using client = connect(await serve({ say: async ({ text }) => ({ text: `${text.length}` }) }, {}, 8 * 1024 * 1024));
    expect(await client.say({ text: 'x'.repeat(5_000_000) }, { signal: never })).toEqual({ text: '5000000' });
    await expect(client.say({ text: 'x'.repeat(9_000_000) }, { signal: never })).rejects.toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
    });
  });
});
