import { type BackupRepository, type Job, jobType } from '@lateen/api-types';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { isNotFound, isOwnedBy, keyOf, keyText, type ObjectKey, readObject } from '@lateen/kube';
import {
  jobLifetimes,
  maintenanceJobName,
  needsLock,
  type OperationEnd,
  type OperationResults,
  operationOf,
  type RepositoryTask,
  releaseRepositoryLock,
} from '@lateen/maintenance';
import { explainRights } from './explain-rights.ts';
import { type FollowJobEvents, followJob } from './follow-job.ts';
import { keepAlive } from './keep-alive.ts';
import { startTask } from './start-task.ts';
import type { TaskPorts } from './task-ports.ts';

/** Cleaning up after Ctrl-C: nobody likes to wait for it, and the cluster does it later by itself. */
const deleteMsMax = 10_000;

/** What a task found or did. */
export type ResultOf<T extends RepositoryTask> = OperationResults[T['operation']];

export interface TaskResult<T extends RepositoryTask> {
  result: ResultOf<T>;
  durationMs: number;
}

/**
 * Has one task done by a Job in the cluster and returns its result. On abort the Job is deleted, which ends the work; then rejects with
 * INTERRUPTED. Afterwards nothing of it is left, but of maintenance, whose end the controller has yet to record.
 * @throws what the task failed with, by its own code; what {@link startTask} and {@link followJob} throw
 */
export async function runTask<T extends RepositoryTask>(
  ports: TaskPorts,
  repository: BackupRepository,
  task: T,
  events: FollowJobEvents,
  signal: AbortSignal,
): Promise<TaskResult<T>> {
  const { namespace = '', name = '' } = repository.metadata;
  try {
    const end = await endOfTask(ports, repository, task, events, signal);
    if (!end.succeeded) throw new AppError(end.error.code, end.error.message);
    // The Job was made for this operation, and reports on no other.
    return { result: end.result as ResultOf<T>, durationMs: end.durationMs };
  } catch (error) {
    if (signal.aborted)
      throw new AppError('INTERRUPTED', `stopped: ${task.operation} of repository ${name} was ended`, { cause: error });
    throw explainRights(error, namespace);
  }
}

/** Creates the Job, follows it, deletes it. */
async function endOfTask(
  ports: TaskPorts,
  repository: BackupRepository,
  task: RepositoryTask,
  events: FollowJobEvents,
  signal: AbortSignal,
): Promise<OperationEnd> {
  const { name = '', namespace } = repository.metadata;
  const atMs = ports.clock.now();
  let key: ObjectKey = { namespace, name: maintenanceJobName(name, task.operation, atMs) };
  try {
    const job = await startTask(ports, repository, { task, atMs }, signal);
    key = keyOf(job);
    const end = await followKept(ports, job, task, events, signal);
    if (task.operation !== 'maintain') await deleteJob(ports, repository, key, events.onRemark);
    return end;
  } catch (error) {
    // There is none of ours.
    if (isAppError(error, 'REPOSITORY_BUSY') || isAppError(error, 'CONTROLLER_NOT_FOUND')) throw error;
    // A create that was broken off may have happened all the same.
    if (mayBeDeleted(task.operation, error, signal.aborted)) await deleteJob(ports, repository, key, events.onRemark);
    else events.onRemark(`Job ${keyText(key)} continues, if it runs`);
    throw error;
  }
}

/** Follows a Job, which lives only as long as somebody does where it says so. */
async function followKept(
  ports: TaskPorts,
  job: Job,
  { operation }: RepositoryTask,
  events: FollowJobEvents,
  signal: AbortSignal,
): Promise<OperationEnd> {
  if (!jobLifetimes[operation].isFollowed) return followJob(ports, job, events, signal);
  const over = new AbortController();
  const keeping = keepAlive(ports, job, events.onRemark, AbortSignal.any([signal, over.signal]));
  try {
    return await followJob(ports, job, events, signal);
  } finally {
    over.abort();
    await keeping;
  }
}

/** It never ran, or its image cannot. */
const neverRan: readonly string[] = ['JOB_NOT_STARTED', 'JOB_IMAGE'];

/**
 * An engine that is killed while it writes the key of another password could leave a repository that no password opens: such
 * a Job is left alone unless it is known that nothing of it runs. Maintenance that was lost from sight does what is due all the same,
 * and the controller records how it ended.
 */
function mayBeDeleted(operation: RepositoryTask['operation'], error: unknown, isAborted: boolean): boolean {
  const code = isAppError(error) ? error.code : '';
  switch (operation) {
    case 'change-password':
      return code.startsWith('JOB_');
    case 'maintain':
      return isAborted || neverRan.includes(code);
    default:
      return true;
  }
}

/**
 * Its pod goes with it. What fails here is only told: it must not hide what the task came to, and the cluster deletes an
 * ended Job by itself.
 */
async function deleteJob(
  { kube, clock }: Pick<TaskPorts, 'kube' | 'clock'>,
  repository: BackupRepository,
  key: ObjectKey,
  onRemark: (text: string) => void,
): Promise<void> {
  const signal = clock.deadline(deleteMsMax);
  try {
    const job = await readObject(kube, jobType, key, signal);
    // Of a name that another repository's has as well.
    if (job === undefined || !isOwnedBy(job, repository)) return;
    const { uid } = job.metadata;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await kube.delete(jobType, key, { propagationPolicy: 'Background', signal, ...preconditions });
    // Else who begins again at once would take it for one that is just being created.
    if (needsLock(repository, operationOf(job)))
      await releaseRepositoryLock({ kube, clock }, repository, key.name, signal);
  } catch (error) {
    if (!isNotFound(error)) onRemark(`Job ${keyText(key)} could not be deleted: ${describeError(error)}`);
  }
}
