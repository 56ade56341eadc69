import { describe, expect, it } from 'vitest';
import { backoffMs } from './backoff.ts';
import { systemClock } from './clock.ts';

describe('the real clock', () => {
  it('rejects a sleep at once when its signal aborts, with the reason', async () => {
    const stop = new AbortController();
    const sleep = systemClock.sleep(60_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(sleep).rejects.toThrow('enough');
    await expect(systemClock.sleep(60_000, stop.signal)).rejects.toThrow('enough');
  });
  it('handles sleeps and deadlines longer than a Node timer allows', async () => {
    const deadline = systemClock.deadline(2 ** 40);
    await systemClock.sleep(1);
    expect(deadline.aborted).toBe(false);
  });
});

describe('backoff', () => {
  const limits = { firstMs: 100, maxMs: 1000, factor: 2, jitter: 0.2 };
  const at = (next: number) => ({ next: () => next, uuid: () => '', suffix: () => '' });
  it('doubles up to its limit', () => {
    expect([1, 2, 3, 4, 5, 50].map((attempt) => backoffMs(attempt, limits, at(0.5)))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
  });
  it('varies with the jitter and is never negative', () => {
    expect(backoffMs(1, limits, at(0))).toBe(80);
    expect(backoffMs(1, limits, at(0.999999))).toBe(120);
    expect(backoffMs(0, limits, at(0.5))).toBe(100);
  });
});
