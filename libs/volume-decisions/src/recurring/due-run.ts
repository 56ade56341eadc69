import type { CronTimes } from '@lateen/cron';

/** A run begins so long after it was due at the latest: a change of managers takes less. What is missed by more is not made up. */
export const runLateMaxMs = 120_000;

export interface DueRun {
  /** When the run is due that is to begin now. */
  readonly dueMs?: number;
  /** No run may be due until here: what lay before was missed. To be written down, since `@every` counts from it. */
  readonly missedUntilMs?: number;
  /** When the next one is; undefined: never. */
  readonly nextMs?: number;
}

/** Which run of a job is due, when the last one was due, or missed, at `sinceMs`. */
export function dueRun(times: CronTimes, sinceMs: number, nowMs: number): DueRun {
  const firstMs = times.next(sinceMs);
  if (firstMs === undefined) return {};
  if (firstMs > nowMs) return { nextMs: firstMs };
  const missed = firstMs < nowMs - runLateMaxMs;
  const fromMs = missed ? nowMs - runLateMaxMs : sinceMs;
  let dueMs: number | undefined;
  let nextMs = times.next(fromMs);
  // Two minutes have two moments of five fields, and at most 121 of `@every 1s`.
  for (; nextMs !== undefined && nextMs <= nowMs; nextMs = times.next(nextMs)) dueMs = nextMs;
  return {
    ...(dueMs === undefined ? {} : { dueMs }),
    ...(missed && dueMs === undefined ? { missedUntilMs: fromMs } : {}),
    ...(nextMs === undefined ? {} : { nextMs }),
  };
}
