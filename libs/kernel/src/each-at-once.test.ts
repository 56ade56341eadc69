import { describe, expect, it } from 'vitest';
import { eachAtOnce } from './each-at-once.ts';

describe('eachAtOnce', () => {
  it('processes up to the limit in parallel, in order', async () => {
    const begun: number[] = [];
    const waits = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const all = eachAtOnce([0, 1, 2, 3, 4], 2, (item) => {
      begun.push(item);
      return waits[item]?.promise ?? Promise.resolve();
    });
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    for (const { resolve } of waits) resolve();
    await all;
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('starts nothing after a failure, and rejects when running work has ended', async () => {
    const begun: string[] = [];
    const ended: string[] = [];
    const slow = Promise.withResolvers<void>();
    const all = eachAtOnce(['slow', 'bad', 'never'], 2, async (item) => {
      begun.push(item);
      if (item === 'bad') throw new Error('bad');
      await slow.promise;
      ended.push(item);
    });
    const outcome = all.then(
      () => 'well',
      (error: Error) => `${error.message}, after ${ended}`,
    );
    slow.resolve();
    expect([await outcome, begun]).toEqual(['bad, after slow', ['slow', 'bad']]);
  });

  it('takes items from a generator only when needed, and closes it at the end', async () => {
    const made: number[] = [];
    let isOver = false;
    async function* making() {
      try {
        for (let item = 0; ; item++) {
          made.push(item);
          yield item;
        }
      } finally {
        isOver = true;
      }
    }
    const bad = eachAtOnce(making(), 2, async (item) => {
      if (item === 3) throw new Error('bad');
    });
    await expect(bad).rejects.toThrow('bad');
    expect(isOver).toBe(true);
    expect(made.length).toBeLessThanOrEqual(6);
  });

  it('rejects when the generator fails', async () => {
    async function* making() {
      yield 1;
      throw new Error('no more');
    }
    const begun: number[] = [];
    await expect(eachAtOnce(making(), 3, async (item) => void begun.push(item))).rejects.toThrow('no more');
    expect(begun).toEqual([1]);
  });
});
