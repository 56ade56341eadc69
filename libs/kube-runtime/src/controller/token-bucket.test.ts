import type { Clock } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

/** A clock with only the methods that the bucket uses. */
function handClock(): Clock & { nowMs: number } {
  const never = (): never => {
    throw new Error('the bucket waits for nothing');
  };
  return {
    nowMs: 0,
    now: never,
    monotonicMs() {
      return this.nowMs;
    },
    sleep: never,
    deadline: never,
  };
}

describe('TokenBucket', () => {
  it('allows a burst at once, then one call after the other', () => {
    const bucket = new TokenBucket(3, 10, handClock());
    expect(Array.from({ length: 6 }, () => bucket.takeMs())).toEqual([0, 0, 0, 100, 200, 300]);
  });

  it('refills with time, up to the burst size', () => {
    const clock = handClock();
    const bucket = new TokenBucket(2, 10, clock);
    for (let i = 0; i < 4; i++) bucket.takeMs();
    clock.nowMs += 300;
    expect([bucket.takeMs(), bucket.takeMs()]).toEqual([0, 100]);
    clock.nowMs += 3_600_000;
    expect([bucket.takeMs(), bucket.takeMs(), bucket.takeMs()]).toEqual([0, 0, 100]);
  });
});
