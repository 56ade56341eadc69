import { type BackupRepository, type Job, labels, type RecentMaintenance } from '@lateen/api-types';

/** Entries of status.recentMaintenance; the oldest go (api.md section 7). */
export const recentMaintenanceMax = 25;

/** The condition that says that a Job has ended, if it has. */
export function endCondition({ status }: Job) {
  return status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
}

/** How a Job has ended; undefined while it has not. */
export function jobEnd(job: Job): { result: 'Succeeded' | 'Failed'; atMs: number } | undefined {
  const condition = endCondition(job);
  if (condition === undefined) return undefined;
  const at = job.status?.completionTime ?? condition.lastTransitionTime ?? startedAt(job);
  return { result: condition.type === 'Complete' ? 'Succeeded' : 'Failed', atMs: Date.parse(String(at)) };
}

/** The start time in the cluster; a Job without one counts as started when it was created. */
export const startedAt = (job: Job): string => job.status?.startTime ?? job.metadata.creationTimestamp ?? '';

export const startedMs = (job: Job): number => Date.parse(startedAt(job));

/** Jobs of Velero have no such label, and do nothing else. */
export function isMaintenance(job: Job): boolean {
  const operation = job.metadata.labels?.[labels.repositoryOperation];
  return operation === undefined || operation === 'maintain';
}

/**
 * Whether the status already contains this run. Two runs of one repository never begin in the same second. A run that began
 * before all entries of a full history was in it earlier.
 */
export function isRecorded(job: Job, { status }: BackupRepository): boolean {
  const recent = status?.recentMaintenance ?? [];
  const ms = startedMs(job);
  if (recent.some((each) => entryMs(each) === ms)) return true;
  return recent.length >= recentMaintenanceMax && recent.every((each) => entryMs(each) > ms);
}

/** The history with more runs in it: by their beginning, newest last, bounded. */
export function withRuns(
  recent: readonly RecentMaintenance[] | undefined,
  runs: readonly RecentMaintenance[],
): RecentMaintenance[] {
  const all = [...(recent ?? []), ...runs].sort((a, b) => entryMs(a) - entryMs(b));
  return all.slice(-recentMaintenanceMax);
}

const entryMs = ({ startTimestamp }: RecentMaintenance): number => Date.parse(String(startTimestamp));
