import { describe, expect, it } from 'vitest';
import type { Clock } from './clock.ts';
import { steadyClock } from './steady-clock.ts';

const hourMs = 3_600_000;

/** A clock whose two times the test sets. */
function handClock() {
  const at = { wallMs: 1_000_000_000, monotonicMs: 0 };
  const never = () => Promise.reject(new Error('nobody sleeps here'));
  const clock: Clock = {
    now: () => at.wallMs,
    monotonicMs: () => at.monotonicMs,
    sleep: never,
    deadline: () => new AbortController().signal,
  };
  const pass = (ms: number) => {
    at.wallMs += ms;
    at.monotonicMs += ms;
  };
  const leap = (ms: number) => {
    at.wallMs += ms;
  };
  return { clock, pass, leap };
}

describe('a steady clock', () => {
  it('equals the wall clock while that does not jump', () => {
    const { clock, pass, leap } = handClock();
    const steady = steadyClock(clock);
    pass(hourMs);
    leap(-200);
    expect(steady.now()).toBe(clock.now());
  });
  it.each([
    ['ahead', 5 * hourMs, 2],
    ['back', -5 * hourMs, 0.5],
  ])('continues through a jump %s at another rate until both are equal', (_title, ms, rate) => {
    const { clock, pass, leap } = handClock();
    const steady = steadyClock(clock);
    const before = steady.now();
    leap(ms);
    expect(steady.now()).toBe(before);
    pass(60_000);
    expect(steady.now() - before).toBe(60_000 * rate);
    for (let hours = 0; hours < 11; hours += 1) {
      const last = steady.now();
      pass(hourMs);
      expect(steady.now()).toBeGreaterThan(last);
    }
    expect(steady.now()).toBe(clock.now());
  });
});
