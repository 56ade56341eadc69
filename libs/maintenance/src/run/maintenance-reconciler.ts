import {
  type BackupRepository,
  type BackupStorageLocation,
  backupRepositoryType,
  type Job,
  jobType,
  type Pod,
  podType,
  type RecentMaintenance,
} from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import {
  again,
  type EventSubject,
  isNotFound,
  type KubeApi,
  keyOf,
  keyText,
  type ObjectKey,
  type Outcome,
  type Reconciler,
  settled,
  waiting,
} from '@lateen/kube';
import { decideMaintenance, podStartMs } from '../decide/decide-maintenance.ts';
import { isMaintenance, jobEnd, withRuns } from '../decide/job-state.ts';
import { runOutcome, stuckOutcome } from '../decide/run-outcome.ts';
import type { MaintenanceSettings } from '../settings/maintenance-settings.ts';
import { createMaintenanceJob } from './create-maintenance-job.ts';
import type { MaintenanceObserver } from './maintenance-observer.ts';
import type { MaintenancePlaces } from './maintenance-places.ts';

export interface MaintenanceReconcilerPorts {
  kube: KubeApi;
  getRepository(key: ObjectKey): BackupRepository | undefined;
  getLocation(key: ObjectKey): BackupStorageLocation | undefined;
  /** Those with the label of a repository of that name. */
  jobsOf(repositoryName: string): readonly Job[];
  settingsOf(repository: BackupRepository, signal: AbortSignal): Promise<MaintenanceSettings>;
  places: MaintenancePlaces;
  /** Records an Event. */
  tell(subject: EventSubject, reason: string, message: string, type: 'Normal' | 'Warning'): void;
  observer?: MaintenanceObserver | undefined;
  clock: Clock;
  log: Logger;
}

interface Subject {
  key: ObjectKey;
  repository: BackupRepository;
}

/** A Job that was made is seen through the watch within this time; until then no other is made for the same due time. */
const seenWithinMs = 60_000;

/**
 * Keeps the maintenance of BackupRepositories going: makes a Job when one is due, writes into the status what came of it, removes old
 * ones. What it knows is in the cluster: after a restart it goes on with the Jobs it finds.
 */
export function maintenanceReconciler(ports: MaintenanceReconcilerPorts): Reconciler {
  /** What was made last, by key. */
  const made = new Map<string, { dueMs: number; atMs: number }>();
  return {
    reconcile: async (key, signal) => {
      const repository = ports.getRepository(key);
      const isOurs = repository?.spec.repositoryType === 'kopia' || repository?.spec.repositoryType === 'restic';
      if (repository === undefined || repository.metadata.deletionTimestamp !== undefined || !isOurs) {
        made.delete(keyText(key));
        ports.places.leave(keyText(key));
        ports.observer?.removed(key.name);
        return settled;
      }
      return reconcileOne(ports, { key, repository }, made, signal);
    },
  };
}

async function reconcileOne(
  ports: MaintenanceReconcilerPorts,
  subject: Subject,
  made: Map<string, { dueMs: number; atMs: number }>,
  signal: AbortSignal,
): Promise<Outcome> {
  const { places, clock } = ports;
  const { key, repository } = subject;
  const jobs = ports.jobsOf(key.name);
  const settings = await ports.settingsOf(repository, signal);
  const location = ports.getLocation({ namespace: key.namespace, name: repository.spec.backupStorageLocation });
  const step = decideMaintenance({
    repository,
    location,
    jobs,
    keepLatest: settings.keepLatestMaintenanceJobs,
    nowMs: clock.now(),
  });
  holdOrLeave(places, keyText(key), jobs, step.kind === 'run');
  switch (step.kind) {
    case 'record':
      return record(ports, subject, step.jobs, signal);
    case 'delete':
      for (const job of step.jobs) await remove(ports.kube, job, signal);
      return waiting('the deletion of Jobs');
    case 'running':
      return step.lookMs === undefined ? waiting('a Job') : again(step.lookMs, 'whether its pod runs');
    case 'stuck':
      return giveUp(ports, subject, step.job, signal);
    case 'run':
      return run(ports, subject, { dueMs: step.dueMs, settings, made }, signal);
    case 'wait':
      return again(step.afterMs, 'maintenance is due then');
    case 'rest':
      return waiting(step.why);
    default:
      return step satisfies never;
  }
}

function holdOrLeave(places: MaintenancePlaces, key: string, jobs: readonly Job[], wantsOne: boolean): void {
  if (jobs.some((job) => isMaintenance(job) && jobEnd(job) === undefined)) places.hold(key);
  else if (!wantsOne) places.leave(key);
}

async function run(
  { kube, places, tell, clock, log }: MaintenanceReconcilerPorts,
  { key, repository }: Subject,
  {
    dueMs,
    settings,
    made,
  }: { dueMs: number; settings: MaintenanceSettings; made: Map<string, { dueMs: number; atMs: number }> },
  signal: AbortSignal,
): Promise<Outcome> {
  const text = keyText(key);
  const last = made.get(text);
  const sinceMs = clock.monotonicMs() - (last?.atMs ?? 0);
  // The cache is behind: the Job, or the status that tells of it, is on its way.
  if (last?.dueMs === dueMs && sinceMs < seenWithinMs) return again(seenWithinMs - sinceMs, 'the Job is not seen yet');
  if (!places.take(text, dueMs)) return waiting('a place for a maintenance Job');
  try {
    const job = await createMaintenanceJob(kube, repository, { dueMs, settings }, signal);
    made.set(text, { dueMs, atMs: clock.monotonicMs() });
    log.info({ repository: key.name, job: job.metadata.name }, 'maintenance begins');
    return waiting('the Job');
  } catch (error) {
    places.leave(text);
    signal.throwIfAborted();
    tell(subjectOf(repository), 'MaintenanceNotStarted', describeError(error), 'Warning');
    throw error;
  }
}

async function record(
  ports: MaintenanceReconcilerPorts,
  subject: Subject,
  jobs: readonly Job[],
  signal: AbortSignal,
): Promise<Outcome> {
  const runs: RecentMaintenance[] = [];
  for (const job of jobs) {
    const failed = jobEnd(job)?.result !== 'Succeeded';
    runs.push(runOutcome(job, failed ? await podOf(ports.kube, job, signal) : undefined));
  }
  await writeRuns(ports, subject, runs, signal);
  return waiting('the status');
}

async function giveUp(
  ports: MaintenanceReconcilerPorts,
  subject: Subject,
  job: Job,
  signal: AbortSignal,
): Promise<Outcome> {
  const pod = await podOf(ports.kube, job, signal);
  const phase = pod?.status?.phase;
  // It runs, or its end is on its way to the Job.
  if (phase !== undefined && phase !== 'Pending') return again(podStartMs, 'its pod runs');
  await writeRuns(ports, subject, [stuckOutcome(job, pod, ports.clock.now())], signal);
  return waiting('the status');
}

/**
 * Guarded by the version that was decided on: the history is written whole, and of two writers one must look again. The Event
 * comes after the write, so it is told once.
 */
async function writeRuns(
  { kube, tell, observer, log }: MaintenanceReconcilerPorts,
  { key, repository }: Subject,
  runs: readonly RecentMaintenance[],
  signal: AbortSignal,
): Promise<void> {
  const { status, metadata } = repository;
  const succeeded = runs
    .filter(({ result }) => result === 'Succeeded')
    .map(({ completeTimestamp }) => completeTimestamp);
  const latest = [status?.lastMaintenanceTime, ...succeeded].reduce((a, b) => (msOf(b) > msOf(a) ? b : a), undefined);
  const body = {
    metadata: { resourceVersion: metadata.resourceVersion },
    status: {
      recentMaintenance: withRuns(status?.recentMaintenance, runs),
      ...(latest === undefined || latest === null ? {} : { lastMaintenanceTime: latest }),
    },
  };
  try {
    await kube.patch(backupRepositoryType, key, { type: 'merge', body }, { signal });
  } catch (error) {
    // Deleted meanwhile: its Jobs go with it.
    if (isNotFound(error)) return;
    throw error;
  }
  for (const { result, message = '', startTimestamp, completeTimestamp } of runs) {
    const durationMs = msOf(completeTimestamp) - msOf(startTimestamp);
    const fields = { repository: key.name, result, durationMs };
    observer?.ended({ repository: key.name, succeeded: result === 'Succeeded', ms: durationMs });
    if (result === 'Succeeded') log.info(fields, 'maintenance has ended');
    else {
      log.warn({ ...fields, reason: message }, 'maintenance has failed');
      tell(subjectOf(repository), 'MaintenanceFailed', message, 'Warning');
    }
  }
}

const msOf = (time: string | null | undefined): number => (time ? Date.parse(time) : Number.NEGATIVE_INFINITY);

async function podOf(kube: KubeApi, job: Job, signal: AbortSignal): Promise<Pod | undefined> {
  const { namespace, name } = job.metadata;
  const { items } = await kube.list(podType, { namespace, labelSelector: `job-name=${name}`, limit: 5, signal });
  return items[0];
}

async function remove(kube: KubeApi, job: Job, signal: AbortSignal): Promise<void> {
  const { uid } = job.metadata;
  try {
    await kube.delete(jobType, keyOf(job), {
      // Else the pods of a Job stay.
      propagationPolicy: 'Background',
      ...(uid === undefined ? {} : { preconditions: { uid } }),
      signal,
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function subjectOf({ apiVersion, kind, metadata }: BackupRepository): EventSubject {
  const { namespace, name = '', uid = '' } = metadata;
  return { apiVersion, kind, name, uid, ...(namespace === undefined ? {} : { namespace }) };
}
