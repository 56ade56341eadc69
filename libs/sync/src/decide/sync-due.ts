import type { BackupStorageLocation } from '@lateen/api-types';
import { parseDurationMs } from '@lateen/kernel';

/** Between two looks into a bucket when neither the location nor the server's flag says anything, or what cannot be. */
export const syncPeriodDefaultMs = 60_000;

/** The shortest interval between two checks of a location: each check lists the bucket. */
const periodMinMs = 1_000;

/** Undefined: never. A negative period, and one that is no duration, counts as the default (object-store-layout.md section 8). */
export function syncPeriodMs({ spec }: BackupStorageLocation, serverMs: number): number | undefined {
  const own = spec.backupSyncPeriod;
  const wanted = own === undefined || own === null || own === '' ? serverMs : (parseDurationMs(own) ?? -1);
  if (wanted === 0) return undefined;
  return Math.max(wanted < 0 ? syncPeriodDefaultMs : wanted, periodMinMs);
}

export interface SyncDueFacts {
  nowMs: number;
  periodMs: number;
  /** The location shows another place than the last look. */
  moved: boolean;
}

/** In how many ms the location is to be looked at: 0 now. A last look in the future was before the clock was set back. */
export function syncDueMs({ status }: BackupStorageLocation, { nowMs, periodMs, moved }: SyncDueFacts): number {
  const lastMs = Date.parse(status?.lastSyncedTime ?? '');
  if (moved || Number.isNaN(lastMs) || lastMs > nowMs + periodMs) return 0;
  return Math.max(lastMs + periodMs - nowMs, 0);
}
