import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectUnix } from './connect.ts';
import type { ServiceHandlers, ServiceOptions } from './service.ts';
import { TestClient, type TestServer, testService } from './test-service.ts';
import { serveUnix, type UnixServer } from './unix-server.ts';

const never = new AbortController().signal;
let directory = '';
let server: UnixServer | undefined;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-streams-'));
});
afterEach(async () => {
  await server?.stop(0);
  await rm(directory, { recursive: true, force: true });
});

async function serve(count: NonNullable<ServiceHandlers<TestServer>['count']>, options: Partial<ServiceOptions> = {}) {
  const endpoint = `unix://${join(directory, 'streams.sock')}`;
  server = await serveUnix(endpoint, [testService({ count }, options)], systemClock);
  return connectUnix<TestServer>(endpoint, TestClient);
}

const message = (value: number, filler = '') => ({ value, filler });
async function valuesOf(messages: AsyncIterable<{ value: number }>, seen: number[] = []): Promise<number[]> {
  for await (const { value } of messages) seen.push(value);
  return seen;
}

describe('a stream of answers', () => {
  it('delivers every message in order, and ends', async () => {
    using client = await serve(async function* ({ upTo }) {
      for (let value = 1; value <= upTo; value++) yield message(value);
    });
    expect(await valuesOf(client.count({ upTo: 100 }, { signal: never }))).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
  });

  it('ends with the error of its handler, after the messages before it', async () => {
    using client = await serve(async function* () {
      yield message(1);
      yield message(2);
      throw new AppError('NOT_FOUND', 'there is no third');
    });
    const seen: number[] = [];
    await expect(valuesOf(client.count({ upTo: 3 }, { signal: never }), seen)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'count: there is no third',
    });
    expect(seen).toEqual([1, 2]);
  });

  it('blocks its producer while the reader does not read', async () => {
    let made = 0;
    const filler = 'x'.repeat(64 * 1024);
    using client = await serve(async function* ({ upTo }) {
      for (; made < upTo; made++) yield message(made, filler);
    });
    const reading = client.count({ upTo: 2_000 }, { signal: never })[Symbol.asyncIterator]();
    await reading.next();
    let before = -1;
    while (before !== made) {
      before = made;
      await systemClock.sleep(50);
    }
    // Buffers of sockets and streams hold some messages; without back-pressure all of them would be sent.
    expect(made).toBeLessThan(1_000);
    await reading.return?.();
  });

  it('aborts its handler when the reader stops, and releases its key', async () => {
    const ended = Promise.withResolvers<unknown>();
    using client = await serve(
      async function* (_request, { signal }) {
        signal.addEventListener('abort', () => ended.resolve(signal.reason), { once: true });
        for (let value = 0; ; value++) {
          yield message(value);
          await systemClock.sleep(1, signal);
        }
      },
      { keysOf: () => [{ id: 'one', mode: 'exclusive' }] },
    );
    for (let times = 0; times < 2; times++) {
      for await (const { value } of client.count({ upTo: 0 }, { signal: never })) if (value === 3) break;
    }
    await expect(ended.promise).resolves.toMatchObject({ name: 'AbortError' });
  });

  it('ends at once with the reason of the abort while no message arrives', async () => {
    using client = await serve(async function* (_request, { signal }) {
      yield message(1);
      await systemClock.sleep(60_000, signal);
    });
    const stop = new AbortController();
    const seen: number[] = [];
    const reading = valuesOf(client.count({ upTo: 0 }, { signal: stop.signal }), seen);
    await expect.poll(() => seen).toEqual([1]);
    stop.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  it('ends with UNAVAILABLE, which can be retried, when the server goes away', async () => {
    using client = await serve(async function* (_request, { signal }) {
      yield message(1);
      await systemClock.sleep(60_000, signal);
    });
    const seen: number[] = [];
    const reading = valuesOf(client.count({ upTo: 0 }, { signal: never }), seen);
    const failed = expect(reading).rejects.toMatchObject({ code: expect.stringMatching(/^(UNAVAILABLE|CANCELLED)$/) });
    await expect.poll(() => seen).toEqual([1]);
    await server?.stop(0);
    await failed;
  });
});
