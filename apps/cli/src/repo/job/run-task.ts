import { type BackupRepository, type Job, jobType } from '@lateen/api-types';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { isAlreadyExists, isNotFound, keyOf } from '@lateen/kube';
import type { OperationEnd, OperationResults, RepositoryTask } from '@lateen/maintenance';
import { explainRights } from './explain-rights.ts';
import { type FollowJobEvents, followJob } from './follow-job.ts';
import { plannedJob } from './planned-job.ts';
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
 * Has one task done by a Job in the cluster and returns its result. The Job is deleted at the end, whatever the end is.
 * On abort it is deleted too, which ends the work; then rejects with INTERRUPTED.
 * @throws what the task failed with, by its own code; what {@link plannedJob} and {@link followJob} throw
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
    const job = await plannedJob(ports, repository, task, signal);
    const end = await endOfTask(ports, job, task, events, signal);
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
  job: Job,
  { operation }: RepositoryTask,
  events: FollowJobEvents,
  signal: AbortSignal,
): Promise<OperationEnd> {
  const { namespace } = job.metadata;
  try {
    const created = await ports.kube.create(jobType, job, { namespace, signal });
    const end = await followJob(ports, created, events, signal);
    await deleteJob(ports, job, events.onRemark);
    return end;
  } catch (error) {
    // Of the same name, and not ours.
    if (isAlreadyExists(error)) throw error;
    // A create that was broken off may have happened all the same.
    if (mayBeDeleted(operation, error)) await deleteJob(ports, job, events.onRemark);
    else events.onRemark(`Job ${namespace}/${job.metadata.name} goes on, if it runs`);
    throw error;
  }
}

/**
 * An engine that is killed while it writes the key of another password could leave a repository that no password opens: such
 * a Job is left alone unless it is known that nothing of it runs.
 */
function mayBeDeleted(operation: RepositoryTask['operation'], error: unknown): boolean {
  return operation !== 'change-password' || (isAppError(error) && error.code.startsWith('JOB_'));
}

/**
 * Its pod goes with it. What fails here is only told: it must not hide what the task came to, and the cluster deletes an
 * ended Job by itself.
 */
export async function deleteJob(
  { kube, clock }: Pick<TaskPorts, 'kube' | 'clock'>,
  job: Job,
  onRemark: (text: string) => void,
): Promise<void> {
  const { uid, name, namespace } = job.metadata;
  const preconditions = uid === undefined ? {} : { preconditions: { uid } };
  const signal = clock.deadline(deleteMsMax);
  try {
    await kube.delete(jobType, keyOf(job), { propagationPolicy: 'Background', signal, ...preconditions });
  } catch (error) {
    if (!isNotFound(error)) onRemark(`Job ${namespace}/${name} could not be deleted: ${describeError(error)}`);
  }
}
