import { type BackupRepository, backupRepositoryType, type Job, jobType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import { type KubeApi, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { again, type Reconciler, settled, waiting } from '@lateen/kube-runtime';
import { jobEnd, type MaintenanceSettings, requestsOfJob, startForgetJob } from '@lateen/maintenance';
import type { ForgetQueue } from './forget-queue.ts';

export interface ForgetPorts {
  kube: KubeApi;
  queue: ForgetQueue;
  /** All Jobs of a repository that forget, from the informer's cache. */
  jobsOf(repositoryName: string): readonly Job[];
  settingsOf(repository: BackupRepository, signal: AbortSignal): Promise<MaintenanceSettings>;
  clock: Clock;
  log: Logger;
}

/** Requests of one Job: each is read as an object, and their names are arguments. */
export const requestsPerJob = 50;

/** A Job that was made is seen through the watch within this time. */
const seenWithinMs = 60_000;

/** Interval of the checks of a repository that another client works on. */
const busyMs = 30_000;

/** Gives the requests of each repository to Jobs: one at a time, with all that wait (docs/adr/0032). The key is a BackupRepository's. */
export function forgetReconciler(ports: ForgetPorts): Reconciler {
  const made = new Map<string, { name: string; atMs: number }>();
  return {
    reconcile: async (key, signal) => {
      const { queue, clock } = ports;
      const jobs = ports.jobsOf(key.name);
      // The caller read the Jobs a moment before: one may have succeeded meanwhile. After a failed Job the caller requests another on purpose.
      for (const job of jobs) if (jobEnd(job)?.result !== 'Failed') queue.leave(key, requestsOfJob(job));
      const requests = queue.first(key, requestsPerJob);
      if (requests.length === 0) return settled;
      if (jobs.some((job) => jobEnd(job) === undefined)) return waiting('the end of a Job');
      const last = made.get(keyText(key));
      const sinceMs = clock.monotonicMs() - (last?.atMs ?? 0);
      const isUnseen =
        last !== undefined && sinceMs < seenWithinMs && !jobs.some((job) => job.metadata.name === last.name);
      if (isUnseen && (await isThere(ports, key, last.name, signal)))
        return again(Math.min(1_000, seenWithinMs - sinceMs), 'the Job is not seen yet');
      const job = await start(ports, key, requests, signal);
      if (job === undefined) return again(busyMs, 'somebody else is at work on the repository');
      made.set(keyText(key), { name: job.metadata.name ?? '', atMs: clock.monotonicMs() });
      queue.leave(key, requests);
      return waiting('the end of the Job');
    },
  };
}

const isThere = async ({ kube }: ForgetPorts, { namespace }: ObjectKey, name: string, signal: AbortSignal) =>
  (await readObject(kube, jobType, { namespace, name }, signal)) !== undefined;

/** Undefined while the repository is busy. */
async function start(
  { kube, clock, log, jobsOf, settingsOf }: ForgetPorts,
  key: ObjectKey,
  requests: readonly string[],
  signal: AbortSignal,
): Promise<Job | undefined> {
  const repository = await kube.get(backupRepositoryType, key, { signal });
  const settings = await settingsOf(repository, signal);
  try {
    const job = await startForgetJob(
      { kube, clock },
      repository,
      { requests, settings, others: jobsOf(key.name) },
      signal,
    );
    log.info({ repository: key.name, job: job.metadata.name, requests: requests.length }, 'snapshots are forgotten');
    return job;
  } catch (error) {
    if (isAppError(error, 'REPOSITORY_BUSY')) return undefined;
    throw error;
  }
}
