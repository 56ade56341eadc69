import type { RepositoryOperation } from './repository-job.ts';

const minuteMs = 60_000;

/** A Job is ended after so long: a repository of many terabytes may take hours, one that hangs must not hold its place for ever. */
export const maintenanceDeadlineMs = 12 * 60 * minuteMs;

/** A Job that a person waits for lives so long without a sign of them; see `isFollowed`. */
export const followedMs = 30 * minuteMs;

/** A person's Job is deleted by the cluster so long after its end. */
export const endedKeptMs = 60 * minuteMs;

export interface JobLifetime {
  /** The cluster ends it after so long. */
  deadlineMs: number;
  /** The client that follows the Job extends the deadline as long as needed; a closed terminal does not. */
  isFollowed: boolean;
}

/**
 * How long a Job that a person has started may run when no client follows it any more. Reading every byte of a large repository takes a day;
 * maintenance is good for everybody, and its end is recorded; the others take seconds.
 */
export const jobLifetimes: Readonly<Record<RepositoryOperation, JobLifetime>> = {
  maintain: { deadlineMs: maintenanceDeadlineMs, isFollowed: false },
  check: { deadlineMs: followedMs, isFollowed: true },
  usage: { deadlineMs: followedMs, isFollowed: true },
  verify: { deadlineMs: followedMs, isFollowed: true },
  unlock: { deadlineMs: 15 * minuteMs, isFollowed: false },
  'change-password': { deadlineMs: 60 * minuteMs, isFollowed: false },
  /** A list, and one run for each 500 snapshots; what is left over is asked for again. */
  forget: { deadlineMs: 60 * minuteMs, isFollowed: false },
};
