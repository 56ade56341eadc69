import { type Job, jobType } from '@lateen/api-types';
import { type AppError, describeError, isAppError } from '@lateen/errors';
import { isNotFound, type KubeApi, keyOf, keyText } from '@lateen/kube';
import { again, eventSubject, type Outcome, type Reconciler, settled, waiting } from '@lateen/kube-runtime';
import { decideMaintenance } from '../decide/decide-maintenance.ts';
import { isMaintenance, jobEnd } from '../decide/job-state.ts';
import type { MaintenanceSettings } from '../settings/maintenance-settings.ts';
import { createMaintenanceJob } from './create-maintenance-job.ts';
import type { MaintenancePlaces } from './maintenance-places.ts';
import type { MaintenanceReconcilerPorts, MaintenanceSubject } from './maintenance-ports.ts';
import { giveUpRun, recordRuns } from './record-runs.ts';

/** A Job that was made is seen through the watch within this time; until then no other is made for the same due time. */
const seenWithinMs = 60_000;

/** Interval of the checks of a repository that another client works on. */
const busyMs = 60_000;

/**
 * Runs the maintenance of BackupRepositories: creates a Job when one is due, writes its result into the status, removes old
 * ones. All its state is in the cluster: after a restart it continues with the existing Jobs.
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
        ports.places.release(keyText(key));
        ports.observer?.removed(key.name);
        return settled;
      }
      return reconcileOne(ports, { key, repository }, made, signal);
    },
  };
}

async function reconcileOne(
  ports: MaintenanceReconcilerPorts,
  subject: MaintenanceSubject,
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
      return recordRuns(ports, subject, step.jobs, signal);
    case 'delete':
      for (const job of step.jobs) await remove(ports.kube, job, signal);
      return waiting('the deletion of Jobs');
    case 'running':
      return step.lookMs === undefined ? waiting('a Job') : again(step.lookMs, 'whether its pod runs');
    case 'stuck':
      return giveUpRun(ports, subject, step.job, signal);
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
  if (jobs.some((job) => isMaintenance(job) && jobEnd(job) === undefined)) places.force(key);
  else if (!wantsOne) places.release(key);
}

async function run(
  { kube, jobsOf, places, wake, tell, clock, log }: MaintenanceReconcilerPorts,
  { key, repository }: MaintenanceSubject,
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
  // The cache is behind: it will show the Job, or the status with its result, soon.
  if (last?.dueMs === dueMs && sinceMs < seenWithinMs) return again(seenWithinMs - sinceMs, 'the Job is not seen yet');
  if (!places.tryTake(text, dueMs, () => wake(text))) return waiting('a place for a maintenance Job');
  try {
    const others = jobsOf(key.name);
    const job = await createMaintenanceJob({ kube, clock }, repository, { dueMs, settings, others }, signal);
    made.set(text, { dueMs, atMs: clock.monotonicMs() });
    log.info({ repository: key.name, job: job.metadata.name }, 'maintenance begins');
    return waiting('the Job');
  } catch (error) {
    places.release(text);
    signal.throwIfAborted();
    if (isAppError(error, 'REPOSITORY_BUSY')) return again(busyAgainMs(error), error.message);
    tell(eventSubject(repository), 'MaintenanceNotStarted', describeError(error), 'Warning');
    throw error;
  }
}

/** The end of a Job queues the key; this interval is for changes without an event. */
function busyAgainMs({ details }: AppError): number {
  return typeof details.againMs === 'number' ? details.againMs : busyMs;
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
