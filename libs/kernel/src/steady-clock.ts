import type { Clock } from './clock.ts';

/** A larger difference of the times counts as a jump: a clock that NTP keeps stays well within it. */
const leapMs = 5_000;

/** The rate of this clock while it follows a clock that has jumped ahead, and one that has jumped back. */
const catchUpRate = { ahead: 2, back: 0.5 } as const;

/**
 * A clock whose `now` never jumps. When the time of `clock` jumps (a person sets it, the machine was suspended, NTP syncs late), this one continues
 * from its own time, at twice or half the speed, until both agree again. So a duration between two of its times, also through objects of the API, is
 * at most twice or half the real one. It starts with the time of `clock`; all other functions are those of `clock`.
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
