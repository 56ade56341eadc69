import type { Job } from '@lateen/api-types';
import { jobEnd, requestsOfJob } from '@lateen/maintenance';

export type ForgetOutcome = { kind: 'done' } | { kind: 'failed'; job: Job } | { kind: 'open' };

/**
 * What came of a request, by the Jobs that were made for it; pure. A failure from before `sinceMs` is that of an earlier
 * DeleteBackupRequest, which this one is to do better.
 */
export function forgetOutcome(request: string, jobs: readonly Job[], sinceMs: number): ForgetOutcome {
  const own = jobs.filter((job) => requestsOfJob(job).includes(request));
  if (own.some((job) => jobEnd(job)?.result === 'Succeeded')) return { kind: 'done' };
  if (own.some((job) => jobEnd(job) === undefined)) return { kind: 'open' };
  const failed = own.find(({ metadata }) => (Date.parse(metadata.creationTimestamp ?? '') || 0) >= sinceMs);
  return failed === undefined ? { kind: 'open' } : { kind: 'failed', job: failed };
}
