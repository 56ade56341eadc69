import type { Job, Lease, Pod } from '@lateen/api-types';
import { jobEnd } from '../decide/job-state.ts';

/** A Job that has the lock and does not exist is being created, for so long at most. */
export const creationMs = 60_000;

/** A pod that has not gone so long after its grace period is on a node that is gone itself. */
const endingMs = 120_000;

export interface LockView {
  lease: Lease;
  /** The one that the lease names. */
  job: Job | undefined;
  /** Of that Job. */
  pods: readonly Pod[];
  nowMs: number;
}

export type LockState =
  | { kind: 'free' }
  /** `againMs`: nothing reports the end, so it has to be checked again. */
  | { kind: 'held'; by: string; againMs?: number };

/**
 * Whether the Job that a lease names still has the lock; pure. It has until it has ended and none of its pods runs any more: a
 * program is given time to end when its Job is deleted. Clocks that differ by more than a minute make the lock too early
 * free for a Job that is just being created; its program looks before it begins.
 */
export function lockState({ lease, job, pods, nowMs }: LockView): LockState {
  const { holderIdentity: by = '', renewTime } = lease.spec ?? {};
  if (by === '') return { kind: 'free' };
  if (job !== undefined && jobEnd(job) === undefined) return { kind: 'held', by };
  if (pods.some((pod) => isAtWork(pod, nowMs))) return { kind: 'held', by, againMs: 5_000 };
  if (job !== undefined) return { kind: 'free' };
  const leftMs = Date.parse(renewTime ?? '') + creationMs - nowMs;
  return leftMs > 0 && leftMs <= creationMs ? { kind: 'held', by, againMs: leftMs } : { kind: 'free' };
}

function isAtWork({ metadata, status }: Pod, nowMs: number): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  if (metadata.deletionTimestamp === undefined) return true;
  return nowMs < Date.parse(metadata.deletionTimestamp) + endingMs;
}
