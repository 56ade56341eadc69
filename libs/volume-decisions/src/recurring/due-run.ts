import type { CronTimes } from '@lateen/cron';

/** The longest delay of a run: a change of managers takes less. A run that is later than this is skipped. */
export const runLateMaxMs = 120_000;

export interface DueRun {
  /** The due time of the run that begins now. */
  readonly dueMs?: number;
  /** Runs before this time were missed. It has to be recorded, because `@every` counts from it. */
  readonly missedUntilMs?: number;
  /** Time of the next run; undefined: never. */
  readonly nextMs?: number;
}

/** Which run of a job is due, given that the last one was due, or missed, at `sinceMs`. */
export function dueRun(times: CronTimes, sinceMs: number, nowMs: number): DueRun {
  const firstMs = times.next(sinceMs);
  if (firstMs === undefined) return {};
  if (firstMs > nowMs) return { nextMs: firstMs };
  const missed = firstMs < nowMs - runLateMaxMs;
  const fromMs = missed ? nowMs - runLateMaxMs : sinceMs;
  let dueMs: number | undefined;
  let nextMs = times.next(fromMs);
  // At most 121 iterations: two minutes of `@every 1s`.
  for (; nextMs !== undefined && nextMs <= nowMs; nextMs = times.next(nextMs)) dueMs = nextMs;
  return {
    ...(dueMs === undefined ? {} : { dueMs }),
    ...(missed && dueMs === undefined ? { missedUntilMs: fromMs } : {}),
    ...(nextMs === undefined ? {} : { nextMs }),
  };
}
