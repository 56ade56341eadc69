import type { BackupRepository } from '@lateen/api-types';
import { parseDurationMs, plainBackoffMs } from '@lateen/kernel';

/** After a failure the next try comes sooner than the frequency says, at first; a failure after the other, later. */
export const failureRetry = { firstMs: 300_000, factor: 2 } as const;

/**
 * When the next maintenance is due, in ms since the epoch: `maintenanceFrequency` after the last that succeeded, or, when it has
 * failed since, a while after the failure that grows up to the frequency. Undefined: never, for no frequency is set yet.
 * Pure (data-movement.md section 10).
 */
export function maintenanceDueMs({ metadata, spec, status }: BackupRepository): number | undefined {
  const frequencyMs = parseDurationMs(spec.maintenanceFrequency);
  if (frequencyMs === undefined || frequencyMs <= 0) return undefined;
  const lastMs = Date.parse(status?.lastMaintenanceTime ?? metadata.creationTimestamp ?? '');
  if (Number.isNaN(lastMs)) return undefined;
  const dueMs = lastMs + frequencyMs;
  const failed = failuresSince(status?.recentMaintenance ?? [], lastMs);
  const latest = failed.at(-1);
  if (latest === undefined) return dueMs;
  const pauseMs = plainBackoffMs(failed.length, { ...failureRetry, maxMs: frequencyMs });
  return Math.max(dueMs, latest + pauseMs);
}

/** When the runs ended that failed one after the other up to now. */
function failuresSince(
  recent: NonNullable<NonNullable<BackupRepository['status']>['recentMaintenance']>,
  lastMs: number,
): number[] {
  const ended: number[] = [];
  for (const { result, completeTimestamp } of recent) {
    const ms = Date.parse(String(completeTimestamp));
    if (result === 'Failed' && ms >= lastMs) ended.push(ms);
    else ended.length = 0;
  }
  return ended;
}
