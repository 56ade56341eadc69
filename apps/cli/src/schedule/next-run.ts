import type { Schedule } from '@lateen/api-types';
import { apiTime } from '@lateen/kube';
import { jitterOf, validateSchedule } from '@lateen/schedule';

/** The next run of the schedule, by the server's own rules; undefined when it is paused or not enabled. */
export function nextRun(schedule: Schedule, nowMs: number): string | undefined {
  if (schedule.spec.paused === true) return undefined;
  const { errors, times } = validateSchedule(schedule, nowMs);
  const { laterMs } = jitterOf(schedule);
  const atMs = errors.length > 0 ? undefined : times?.next(nowMs - laterMs);
  return atMs === undefined ? undefined : apiTime(atMs + laterMs);
}
