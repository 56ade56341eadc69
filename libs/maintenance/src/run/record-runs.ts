import { backupRepositoryType, type Job, type RecentMaintenance } from '@lateen/api-types';
import { isNotFound } from '@lateen/kube';
import { again, eventSubject, type Outcome, waiting } from '@lateen/kube-runtime';
import { podStartMs } from '../decide/decide-maintenance.ts';
import { jobEnd } from '../decide/job-state.ts';
import { runOutcome, stuckOutcome } from '../decide/run-outcome.ts';
import { statusWithRuns, timeMs } from '../decide/status-with-runs.ts';
import type { MaintenanceReconcilerPorts, MaintenanceSubject } from './maintenance-ports.ts';
import { podOfJob } from './pod-of-job.ts';

/** Writes into the status what came of Jobs that have ended. */
export async function recordRuns(
  ports: MaintenanceReconcilerPorts,
  subject: MaintenanceSubject,
  jobs: readonly Job[],
  signal: AbortSignal,
): Promise<Outcome> {
  const runs: RecentMaintenance[] = [];
  for (const job of jobs) {
    const failed = jobEnd(job)?.result !== 'Succeeded';
    runs.push(runOutcome(job, failed ? await podOfJob(ports.kube, job, signal) : undefined));
  }
  await writeRuns(ports, subject, runs, signal);
  return waiting('the status');
}

/** Writes down a Job whose pod does not start, unless it runs by now. */
export async function giveUpRun(
  ports: MaintenanceReconcilerPorts,
  subject: MaintenanceSubject,
  job: Job,
  signal: AbortSignal,
): Promise<Outcome> {
  const pod = await podOfJob(ports.kube, job, signal);
  const phase = pod?.status?.phase;
  // It runs, or its end is on its way to the Job.
  if (phase !== undefined && phase !== 'Pending') return again(podStartMs, 'its pod runs');
  await writeRuns(ports, subject, [stuckOutcome(job, pod, ports.clock.now())], signal);
  return waiting('the status');
}

/**
 * Guarded by the resourceVersion of the decision: the history is written as a whole, and of two writers one must read again. The Event
 * comes after the write, so it is sent once.
 */
async function writeRuns(
  { kube, tell, observer, log }: MaintenanceReconcilerPorts,
  { key, repository }: MaintenanceSubject,
  runs: readonly RecentMaintenance[],
  signal: AbortSignal,
): Promise<void> {
  const body = {
    metadata: { resourceVersion: repository.metadata.resourceVersion },
    status: statusWithRuns(repository.status, runs),
  };
  try {
    await kube.patch(backupRepositoryType, key, { type: 'merge', body }, { signal });
  } catch (error) {
    // Deleted meanwhile: its Jobs go with it.
    if (isNotFound(error)) return;
    throw error;
  }
  for (const { result, message = '', startTimestamp, completeTimestamp } of runs) {
    const durationMs = timeMs(completeTimestamp) - timeMs(startTimestamp);
    const fields = { repository: key.name, result, durationMs };
    observer?.ended({ repository: key.name, succeeded: result === 'Succeeded', ms: durationMs });
    if (result === 'Succeeded') log.info(fields, 'maintenance has ended');
    else {
      log.warn({ ...fields, reason: message }, 'maintenance has failed');
      tell(eventSubject(repository), 'MaintenanceFailed', message, 'Warning');
    }
  }
}
