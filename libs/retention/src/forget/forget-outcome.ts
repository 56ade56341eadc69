import type { Job } from '@lateen/api-types';
import { jobEnd, requestsOfJob } from '@lateen/maintenance';

export type ForgetOutcome = { kind: 'done' } | { kind: 'failed'; job: Job } | { kind: 'open' };

/**
 * What came of a request, by the Jobs that were made for it; pure. The latest failure counts; one from before `sinceMs` is that of an
 * earlier attempt, which this one is to do better.
 */
export function forgetOutcome(request: string, jobs: readonly Job[], sinceMs: number): ForgetOutcome {
  const own = jobs.filter((job) => requestsOfJob(job).includes(request));
  if (own.some((job) => jobEnd(job)?.result === 'Succeeded')) return { kind: 'done' };
  if (own.some((job) => jobEnd(job) === undefined)) return { kind: 'open' };
  const [failed] = own.filter((job) => madeMs(job) >= sinceMs).sort((a, b) => madeMs(b) - madeMs(a));
  return failed === undefined ? { kind: 'open' } : { kind: 'failed', job: failed };
}

const madeMs = ({ metadata }: Job): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
