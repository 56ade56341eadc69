import {
  type BackupRepository,
  backupRepositoryType,
  type ConfigMap,
  configMapType,
  type Job,
} from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import { type KubeApi, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { again, type EventRecorder, eventSubject, type Outcome, type Reconciler, settled } from '@lateen/kube-runtime';
import { jobEnd, repositoryOfRequest, requestsOfJob } from '@lateen/maintenance';
import { deleteObject } from '../deletion/objects-of-backup.ts';
import { forgetFailure } from './forget-failure.ts';
import { forgetOutcome } from './forget-outcome.ts';
import type { ForgetQueue } from './forget-queue.ts';

export interface UnownedPorts {
  kube: KubeApi;
  queue: ForgetQueue;
  /** From informers' caches, as the Jobs. */
  getForgetRequest(key: ObjectKey): ConfigMap | undefined;
  /** Those that forget, of one repository. */
  jobsOf(repositoryName: string): readonly Job[];
  events: EventRecorder;
  clock: Clock;
  log: Logger;
}

/** Reason of the Event on a BackupRepository that did not forget. */
export const forgettingFailedReason = 'ForgettingFailed';

/** The delay after a failed Job, and between checks whether the repository still exists. */
export const forgetAgainMs = 3_600_000;

export type UnownedStep =
  | { kind: 'done' }
  | { kind: 'ask' }
  /** A Job works on it. */
  | { kind: 'running' }
  | { kind: 'wait'; failed: Job; afterMs: number };

/** What is to be done about a request, by the Jobs that were made for it; pure. */
export function decideUnowned(request: string, jobs: readonly Job[], nowMs: number): UnownedStep {
  const outcome = forgetOutcome(request, jobs, 0);
  const isRunning = jobs.some((job) => jobEnd(job) === undefined && requestsOfJob(job).includes(request));
  switch (outcome.kind) {
    case 'done':
      return { kind: 'done' };
    case 'open':
      return isRunning ? { kind: 'running' } : { kind: 'ask' };
    case 'failed': {
      const endedMs = jobEnd(outcome.job)?.atMs || 0;
      const afterMs = Math.min(endedMs + forgetAgainMs - nowMs, forgetAgainMs);
      return afterMs > 0 ? { kind: 'wait', failed: outcome.job, afterMs } : { kind: 'ask' };
    }
    default:
      return outcome satisfies never;
  }
}

/**
 * Follows requests without an owner, those of canceled and failed backups, until they are done (docs/adr/0032); the others are
 * followed by the deletion of their Backup. Their state is in ConfigMaps and Jobs. The key is that of a request.
 */
export function unownedReconciler(ports: UnownedPorts): Reconciler {
  /** Jobs whose failure was told, by request. Bounded by the requests that there are. */
  const told = new Map<string, string | undefined>();
  return {
    reconcile: async (key, signal) => {
      const request = ports.getForgetRequest(key);
      const repositoryName = request === undefined ? undefined : repositoryOfRequest(request);
      if (request === undefined || repositoryName === undefined || isOwned(request)) {
        told.delete(keyText(key));
        return settled;
      }
      const subject = { request, repository: { namespace: key.namespace, name: repositoryName } };
      const step = decideUnowned(key.name, ports.jobsOf(repositoryName), ports.clock.now());
      if (step.kind !== 'ask') ports.queue.leave(subject.repository, [key.name]);
      if (step.kind === 'done') return await drop(ports, subject, signal);
      const repository = await readObject(ports.kube, backupRepositoryType, subject.repository, signal);
      if (repository === undefined) {
        ports.log.warn(
          { repository: repositoryName, request: key.name },
          'snapshots of a canceled or failed backup stay in the repository: their BackupRepository does not exist any more',
        );
        return await drop(ports, subject, signal);
      }
      if (step.kind === 'wait') {
        const { name } = step.failed.metadata;
        if (told.get(keyText(key)) !== name) await tell(ports, { request, repository }, step.failed, signal);
        told.set(keyText(key), name);
        return again(step.afterMs, 'another attempt after a failed Job');
      }
      if (step.kind === 'ask') ports.queue.ask(subject.repository, key.name);
      return again(forgetAgainMs, 'the repository to forget');
    },
  };
}

async function drop(
  { kube, queue }: UnownedPorts,
  { request, repository }: { request: ConfigMap; repository: ObjectKey },
  signal: AbortSignal,
): Promise<Outcome> {
  queue.leave(repository, [request.metadata.name ?? '']);
  await deleteObject(kube, configMapType, request, signal);
  return settled;
}

async function tell(
  { kube, log, events }: UnownedPorts,
  { request, repository }: { request: ConfigMap; repository: BackupRepository },
  failed: Job,
  signal: AbortSignal,
): Promise<void> {
  const { name = '' } = repository.metadata;
  const { text } = await forgetFailure(kube, name, failed, signal);
  const fields = { repository: name, request: request.metadata.name, job: failed.metadata.name, reason: text };
  log.warn(
    fields,
    'snapshots of a canceled or failed backup are not deleted from the repository yet; the deletion is retried',
  );
  events.record(eventSubject(repository), forgettingFailedReason, text, { type: 'Warning' });
}

const isOwned = ({ metadata }: ConfigMap): boolean => (metadata.ownerReferences ?? []).length > 0;
