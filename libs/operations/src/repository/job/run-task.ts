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

/** The longest clean-up after Ctrl-C: the user is waiting, and the cluster cleans up later by itself. */
const deleteMsMax = 10_000;

/** The result of a task. */
export type ResultOf<T extends RepositoryTask> = OperationResults[T['operation']];

/** The events of a task, for the caller. */
export interface TaskEvents extends FollowJobEvents {
  /** Called once with the Job when it is created; a rejection ends the task. */
  onCreated?(job: Job): Promise<void>;
}

export interface TaskResult<T extends RepositoryTask> {
  result: ResultOf<T>;
  durationMs: number;
}

/**
 * Runs one task in a Job in the cluster and returns its result. On abort the Job is deleted, which ends the work, and the promise rejects
 * with INTERRUPTED. Afterwards the Job is gone, except a maintenance Job, whose end the controller has yet to record.
 * @throws the error of the task, with its own code; what {@link startTask} and {@link followJob} throw
 */
export async function runTask<T extends RepositoryTask>(
  ports: TaskPorts,
  repository: BackupRepository,
  task: T,
  events: TaskEvents,
  signal: AbortSignal,
): Promise<TaskResult<T>> {
  const { namespace = '', name = '' } = repository.metadata;
  try {
    const end = await endOfTask(ports, repository, task, events, signal);
    if (!end.succeeded) throw new AppError(end.error.code, end.error.message);
    // The Job was created for this operation and reports only about it.
    return { result: end.result as ResultOf<T>, durationMs: end.durationMs };
  } catch (error) {
    if (signal.aborted)
      throw new AppError('INTERRUPTED', `stopped: ${task.operation} of repository ${name} was ended`, { cause: error });
    throw explainRights(error, namespace);
  }
}

/** Creates the Job, follows it to its end and deletes it. */
async function endOfTask(
  ports: TaskPorts,
  repository: BackupRepository,
  task: RepositoryTask,
  events: TaskEvents,
  signal: AbortSignal,
): Promise<OperationEnd> {
  const { name = '', namespace } = repository.metadata;
  const atMs = ports.clock.now();
  let key: ObjectKey = { namespace, name: maintenanceJobName(name, task.operation, atMs) };
  try {
    const job = await startTask(ports, repository, { task, atMs }, signal);
    key = keyOf(job);
    await events.onCreated?.(job);
    const end = await followKept(ports, job, task, events, signal);
    if (task.operation !== 'maintain') await deleteJob(ports, repository, key, events.onRemark);
    return end;
  } catch (error) {
    // We have created no Job.
    if (isAppError(error, 'REPOSITORY_BUSY') || isAppError(error, 'CONTROLLER_NOT_FOUND')) throw error;
    // An aborted create may have reached the API server.
    if (mayBeDeleted(task.operation, error, signal.aborted)) await deleteJob(ports, repository, key, events.onRemark);
    else events.onRemark(`Job ${keyText(key)} continues, if it runs`);
    throw error;
  }
}

/** Follows a Job; where its operation says so, the Job lives only as long as it is followed: the deadline is postponed meanwhile. */
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

/** Errors which show that the Job's container never ran or cannot run. */
const neverRan: readonly string[] = ['JOB_NOT_STARTED', 'JOB_IMAGE'];

/**
 * Whether the Job may be deleted. An engine that is killed while it writes the key of another password could leave a repository that no
 * password opens: such a Job is deleted only when it is known that nothing of it runs. A maintenance Job that we lost sight of completes
 * its work all the same, and the controller records how it ended.
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
 * Deletes a Job and its pod. An error here is only reported: it must not hide the outcome of the task, and the cluster deletes a
 * finished Job by itself.
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
    // A Job of this name may belong to another repository.
    if (job === undefined || !isOwnedBy(job, repository)) return;
    const { uid } = job.metadata;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    await kube.delete(jobType, key, { propagationPolicy: 'Background', signal, ...preconditions });
    // Otherwise a command started right afterwards would take the lock for a Job that is just being created.
    if (needsLock(repository, operationOf(job)))
      await releaseRepositoryLock({ kube, clock }, repository, key.name, signal);
  } catch (error) {
    if (!isNotFound(error)) onRemark(`Job ${keyText(key)} could not be deleted: ${describeError(error)}`);
  }
}
