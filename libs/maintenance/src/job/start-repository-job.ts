import { type BackupRepository, type Job, jobType } from '@lateen/api-types';
import { AppError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import { isAlreadyExists, isOwnedBy, type KubeApi } from '@lateen/kube';
import { jobEnd } from '../decide/job-state.ts';
import { releaseRepositoryLock, takeRepositoryLock } from '../lock/repository-lock.ts';
import { type MaintenanceJobInput, maintenanceJob } from './maintenance-job.ts';
import { excludeEachOther, needsLock, operationOf } from './task-exclusion.ts';

export interface StartOptions extends MaintenanceJobInput {
  /** Jobs with the repository's label, as far as they are known. */
  others: readonly Job[];
  /** A Job of the same name belongs to an earlier attempt whose answer was lost; otherwise it belongs to another creator. */
  mayBeMade: boolean;
}

interface StartPorts {
  kube: KubeApi;
  clock: Clock;
}

/** Names that are tried where those of two repositories are cut to the same. */
const namesMax = 16;

/**
 * Creates the Job of a task, unless an excluded Job exists. Of several callers at the same time one wins.
 * @throws REPOSITORY_BUSY with `job`, the name of the other, and `againMs` when nothing tells of its end; REPOSITORY_JOB_NAMES_TAKEN,
 *   MAINTENANCE_DEPLOYMENT_SHAPE, KUBE_…
 */
export async function startRepositoryJob(ports: StartPorts, options: StartOptions, signal: AbortSignal): Promise<Job> {
  const { repository, task, others } = options;
  const { operation } = task;
  const { name = '' } = repository.metadata;
  const other = others.find(
    (job) => isThere(job) && excludeEachOther(repository, operation, operationOf(job)) && !isSame(job, options),
  );
  if (other !== undefined) throw repositoryBusy(repository, { by: other.metadata.name ?? '' });
  for (let at = 0; at < namesMax; at++) {
    const job = maintenanceJob({ ...options, atMs: options.atMs + at });
    if (needsLock(repository, operation)) await mustTakeLock(ports, repository, job, signal);
    const created = await createOnce(ports, job, options, signal);
    if (created !== undefined) return created;
  }
  throw new AppError('REPOSITORY_JOB_NAMES_TAKEN', `other repositories have all names for a Job of ${name}`, {
    retry: 'later',
  });
}

const isThere = (job: Job): boolean => jobEnd(job) === undefined && job.metadata.deletionTimestamp === undefined;

/** Made by an attempt before. */
const isSame = (job: Job, options: StartOptions): boolean =>
  options.mayBeMade && job.metadata.name === maintenanceJob(options).metadata.name;

async function mustTakeLock(
  ports: StartPorts,
  repository: BackupRepository,
  { metadata }: Job,
  signal: AbortSignal,
): Promise<void> {
  const answer = await takeRepositoryLock(ports, repository, metadata.name ?? '', signal);
  if (!answer.held) throw repositoryBusy(repository, answer);
}

/** Undefined when a Job of another repository has the name. */
async function createOnce(
  ports: StartPorts,
  job: Job,
  { repository, mayBeMade }: StartOptions,
  signal: AbortSignal,
): Promise<Job | undefined> {
  const { name = '', namespace = '' } = job.metadata;
  try {
    return await ports.kube.create(jobType, job, { namespace, signal });
  } catch (error) {
    if (!isAlreadyExists(error)) {
      // The Job certainly does not exist: the next caller need not wait for it.
      if (refusals.some((code) => isAppError(error, code)))
        await releaseRepositoryLock(ports, repository, name, signal);
      throw error;
    }
  }
  const there = await ports.kube.get(jobType, { namespace, name }, { signal });
  if (!isOwnedBy(there, repository)) return undefined;
  if (mayBeMade) return there;
  throw repositoryBusy(repository, { by: name });
}

const refusals = ['KUBE_FORBIDDEN', 'KUBE_INVALID', 'KUBE_BAD_REQUEST', 'KUBE_UNAUTHORIZED', 'KUBE_NOT_FOUND'];

/** @param busy `by` is absent where many have just tried */
export function repositoryBusy(
  { metadata }: BackupRepository,
  { by, againMs }: { by?: string; againMs?: number },
): AppError {
  const { name = '', namespace = '' } = metadata;
  const who = by === undefined ? 'somebody else' : `Job ${namespace}/${by}`;
  return new AppError('REPOSITORY_BUSY', `${who} is working on repository ${name}`, {
    retry: 'later',
    details: { job: by, ...(againMs === undefined ? {} : { againMs }) },
    nextStep: 'Start again when it has ended; kubectl delete job ends it at once.',
  });
}
