import type { Clock } from './clock.ts';

/** What the time may differ by before it counts as a leap: a clock that is kept by NTP stays well within it. */
const leapMs = 5_000;

/** How fast the time runs while it follows one that has leapt on, and one that has leapt back. */
const catchUpRate = { ahead: 2, back: 0.5 } as const;

/**
 * A clock whose `now` never leaps. When the time of `clock` does (somebody sets it, a machine was suspended, its NTP comes late), this one goes on from
 * where it was, at twice or half its pace, until both are the same again. So what is measured between two of its times, also through objects of the API,
 * is at most twice or half of what has passed. It begins with the time of `clock`; the rest of `clock` is as it is.
 */
export function steadyClock(clock: Clock): Clock {
  let lastMs = clock.now();
  let lastMonotonicMs = clock.monotonicMs();
  return {
    now: () => {
      const wallMs = clock.now();
      const monotonicMs = clock.monotonicMs();
      const elapsedMs = monotonicMs - lastMonotonicMs;
      lastMonotonicMs = monotonicMs;
      const ahead = wallMs - (lastMs + elapsedMs);
      if (Math.abs(ahead) <= leapMs) lastMs = wallMs;
      else if (ahead > 0) lastMs = Math.min(lastMs + elapsedMs * catchUpRate.ahead, wallMs);
      else lastMs += elapsedMs * catchUpRate.back;
      return lastMs;
    },
    monotonicMs: () => clock.monotonicMs(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    deadline: (ms) => clock.deadline(ms),
  };
}
