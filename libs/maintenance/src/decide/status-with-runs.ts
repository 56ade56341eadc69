import type { BackupRepositoryStatus, RecentMaintenance } from '@lateen/api-types';
import { withRuns } from './job-state.ts';

/** What these runs leave in the status: the history, whole, and when the last that succeeded was over. Pure. */
export function statusWithRuns(
  status: BackupRepositoryStatus | undefined,
  runs: readonly RecentMaintenance[],
): BackupRepositoryStatus {
  const succeeded = runs
    .filter(({ result }) => result === 'Succeeded')
    .map(({ completeTimestamp }) => completeTimestamp);
  const latest = [status?.lastMaintenanceTime, ...succeeded].reduce(
    (a, b) => (timeMs(b) > timeMs(a) ? b : a),
    undefined,
  );
  return {
    recentMaintenance: withRuns(status?.recentMaintenance, runs),
    ...(latest === undefined || latest === null ? {} : { lastMaintenanceTime: latest }),
  };
}

/** A time that is not there is before all others. */
export const timeMs = (time: string | null | undefined): number => (time ? Date.parse(time) : Number.NEGATIVE_INFINITY);
