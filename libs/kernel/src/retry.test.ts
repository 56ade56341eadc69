import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { type RetryPolicy, retry } from './retry.ts';

/** A clock whose time passes only through sleeps. */
function sleepingClock() {
  const slept: number[] = [];
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      slept.push(ms);
      nowMs += ms;
    },
    deadline: () => {
      throw new Error('no deadline is set');
    },
  };
  return { clock, slept, pass: (ms: number) => (nowMs += ms) };
}

const middle = { next: () => 0.5, uuid: () => '', suffix: () => '' };
const policy: RetryPolicy = {
  backoff: { firstMs: 100, maxMs: 400, factor: 2, jitter: 0.2 },
  mayRetry: (error) => error instanceof TypeError,
};

function failing(times: number, error: unknown = new TypeError('away')) {
  const attempts: number[] = [];
  return {
    attempts,
    act: async (attempt: number) => {
      attempts.push(attempt);
      if (attempts.length <= times) throw error;
      return 'done';
    },
  };
}

describe('retry', () => {
  it('retries with growing delays until it succeeds', async () => {
    const { clock, slept } = sleepingClock();
    const { act, attempts } = failing(4);
    await expect(retry({ clock, random: middle }, policy, act)).resolves.toBe('done');
    expect(attempts).toEqual([1, 2, 3, 4, 5]);
    expect(slept).toEqual([100, 200, 400, 400]);
  });

  it('throws an error at once when a retry cannot help', async () => {
    const { clock, slept } = sleepingClock();
    const error = new RangeError('wrong');
    const { act, attempts } = failing(1, error);
    await expect(retry({ clock, random: middle }, policy, act)).rejects.toBe(error);
    expect([attempts, slept]).toEqual([[1], []]);
  });

  it.each([
    ['its attempts are used up', { attemptsMax: 3 }, [100, 200]],
    ['the next delay would end after its time budget', { budgetMs: 650 }, [100, 200]],
  ])('throws the last error when %s', async (_, limits, waits) => {
    const { clock, slept } = sleepingClock();
    const { act } = failing(9);
    await expect(retry({ clock, random: middle }, { ...policy, ...limits }, act)).rejects.toThrow('away');
    expect(slept).toEqual(waits);
  });

  it('counts the duration of the attempts', async () => {
    const { clock, slept, pass } = sleepingClock();
    const act = async () => {
      pass(300);
      throw new TypeError('slow');
    };
    await expect(retry({ clock, random: middle }, { ...policy, budgetMs: 800 }, act)).rejects.toThrow('slow');
    expect(slept).toEqual([100]);
  });

  it('waits as long as the error asks for, and reports what it waits for', async () => {
    const { clock, slept } = sleepingClock();
    const { act } = failing(2);
    const told: [number, number][] = [];
    const asking: RetryPolicy = {
      ...policy,
      askedMs: () => 7_000,
      onRetry: ({ attempt, waitMs }) => told.push([attempt, waitMs]),
    };
    await retry({ clock, random: middle }, asking, act);
    expect(slept).toEqual([7_000, 7_000]);
    expect(told).toEqual([
      [1, 7_000],
      [2, 7_000],
    ]);
  });

  it('ends with the reason of its signal, without another attempt', async () => {
    const { clock } = sleepingClock();
    const stop = new AbortController();
    let tries = 0;
    const act = async () => {
      tries += 1;
      stop.abort(new Error('told to stop'));
      throw new TypeError('away');
    };
    await expect(retry({ clock, random: middle }, policy, act, stop.signal)).rejects.toThrow('told to stop');
    expect(tries).toBe(1);
  });
});
