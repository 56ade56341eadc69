import { throttledStore, tokenBucket, transferRates } from '@lateen/object-store';
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../clock/fake-clock.ts';
import { memoryObjectStore } from './memory-object-store.ts';

describe('tokenBucket', () => {
  it("allows one second's worth at once, then limits to its rate", async () => {
    const clock = new FakeClock();
    const bucket = tokenBucket(1_000, clock);
    const passed: string[] = [];
    const take = (bytes: number) => bucket.take(bytes).then(() => void passed.push(`${bytes}@${clock.monotonicMs()}`));
    const all = [take(1_000), take(500), take(250), take(5_000), take(1)];
    await clock.advance(20_000);
    await Promise.all(all);
    // The large one begins when a full second is available, and the last one waits for it.
    expect(passed).toEqual(['1000@0', '500@500', '250@750', '5000@1750', '1@5751']);
  });

  it('saves up no more than a second', async () => {
    const clock = new FakeClock();
    const bucket = tokenBucket(100, clock);
    await clock.advance(3_600_000);
    const passed: number[] = [];
    const all = [1, 2, 3].map(() => bucket.take(100).then(() => void passed.push(clock.monotonicMs() - 3_600_000)));
    await clock.advance(5_000);
    await Promise.all(all);
    expect(passed).toEqual([0, 1_000, 2_000]);
  });

  it('applies a new rate at once, also to waiters', async () => {
    const clock = new FakeClock();
    const bucket = tokenBucket(1, clock);
    await bucket.take(1);
    const passed: number[] = [];
    const waiting = [100, 100].map((bytes) => bucket.take(bytes).then(() => void passed.push(clock.monotonicMs())));
    await clock.advance(500);
    bucket.setRate(100);
    await clock.advance(3_000);
    expect(passed.map((ms) => Math.ceil(ms / 1_000))).toEqual([2, 3]);
    const unlimited = bucket.take(1_000_000);
    bucket.setRate(undefined);
    await clock.advance(0);
    await unlimited;
    await Promise.all(waiting);
    expect(bucket.bytesPerSecond).toBeUndefined();
    expect(() => bucket.setRate(0)).toThrow(RangeError);
    expect(() => tokenBucket(Number.NaN, clock)).toThrow(RangeError);
  });

  it('releases an aborted waiter at once, and serves the next', async () => {
    const clock = new FakeClock();
    const bucket = tokenBucket(10, clock);
    await bucket.take(10);
    const stop = new AbortController();
    const first = bucket.take(10);
    const given = bucket.take(10_000, stop.signal);
    const third = bucket.take(10);
    await clock.advance(1);
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    await clock.advance(2_000);
    await Promise.all([first, third]);
    await expect(bucket.take(1, AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
    expect(clock.pending).toBe(0);
  });
});

describe('throttledStore', () => {
  it('limits bodies in both directions, each by its own rate, and nothing else', async () => {
    const clock = new FakeClock();
    const rates = transferRates({ up: 1_000, down: 65_536 }, clock);
    const store = throttledStore(memoryObjectStore({ objects: { big: new Uint8Array(65_536 * 4) } }), rates);
    const done: string[] = [];
    const mark = (name: string) => () => void done.push(`${name}@${clock.monotonicMs()}`);
    const uploads = store
      .put('a', new Uint8Array(1_000))
      .then(mark('put'))
      .then(() => store.write('b', some([500, 500])))
      .then(mark('write'));
    const downloads = Array.fromAsync(store.read('big'))
      .then(mark('read'))
      .then(() => store.get('big'))
      .then(mark('get'));
    await Promise.all([
      store.exists('a'),
      store.listCommonPrefixes(''),
      Array.fromAsync(store.list('')),
      store.delete('x'),
    ]);
    await clock.advance(10_000);
    await Promise.all([uploads, downloads]);
    expect(done.toSorted()).toEqual(['get@4000', 'put@0', 'read@3000', 'write@1000']);
  });

  it('ends with the reason of an abort while it waits', async () => {
    const clock = new FakeClock();
    const memory = memoryObjectStore();
    const store = throttledStore(memory, transferRates({ up: 1 }, clock));
    const stop = new AbortController();
    const writing = store.write('b', some([1, 100]), { signal: stop.signal });
    writing.catch(() => {});
    await clock.advance(10);
    stop.abort(new Error('enough'));
    await expect(writing).rejects.toThrow('enough');
    expect([...memory.objects.keys()]).toEqual([]);
  });
});

async function* some(sizes: number[]): AsyncGenerator<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size);
}
