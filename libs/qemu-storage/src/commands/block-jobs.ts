import { AppError, isAppError } from '@lateen/errors';
import { type Clock, settledOrAborted } from '@lateen/kernel';
import type { Qmp } from '../qmp/qmp.ts';
import { isObject } from '../qmp/qmp-message.ts';
import { type CommandOptions, validNodeName } from './block-nodes.ts';

export interface JobProgress {
  /** In a unit of the job's own. */
  done: number;
  total: number;
}

export interface JobOptions extends CommandOptions {
  onProgress?: (progress: JobProgress) => void;
}

export interface LayerMerge {
  /** Also how a second call with the same name finds the job that runs already. */
  jobId: string;
  /** Node of the head of the chain. */
  head: string;
  /** Its data goes into `base`, and the layer above it then stands on `base`. Not the head itself. */
  top: string;
  base: string;
  bytesPerSecondMax?: number;
  /** What the header of the layer above says afterwards; the file of `base` when absent. */
  backingFile?: string;
}

export interface SeenJob {
  id: string;
  status: string;
  progress: JobProgress;
  error: string | undefined;
}

/** Progress is not reported; the end is reported by events. */
const pollMs = 500;
/** An abort waits this long for the job to end; a job ends between two pieces of its copy. */
const cancelMs = 10_000;

/**
 * Merges `top` into `base` below whatever reads and writes the chain, and resolves when the layer above stands on `base`. The
 * caller keeps readers of `base` and of `top` away: qemu does not, and they would see them change. An abort cancels the job;
 * the chain is whole then, and the merge can be begun again.
 * @throws BLOCK_JOB_FAILED, and as {@link Qmp}
 */
export async function mergeLayers(qmp: Qmp, clock: Clock, merge: LayerMerge, options: JobOptions = {}): Promise<void> {
  const { jobId, bytesPerSecondMax, backingFile } = merge;
  const runs = (await listJobs(qmp, options)).some(({ id }) => id === jobId);
  const args = {
    'job-id': jobId,
    device: validNodeName(merge.head),
    'top-node': validNodeName(merge.top),
    'base-node': validNodeName(merge.base),
    ...(bytesPerSecondMax === undefined ? {} : { speed: bytesPerSecondMax }),
    ...(backingFile === undefined ? {} : { 'backing-file': backingFile }),
    // The job stays, so that its result can be queried later, by a later process too.
    'auto-dismiss': false,
  };
  if (!runs) await qmp.execute('block-commit', args, options);
  await waitForJob(qmp, clock, jobId, options);
}

/** Resolves when a job has ended well; it is dismissed then. @throws BLOCK_JOB_FAILED, and as {@link Qmp} */
export async function waitForJob(qmp: Qmp, clock: Clock, id: string, options: JobOptions = {}): Promise<void> {
  try {
    await untilConcluded(qmp, clock, id, options);
  } catch (error) {
    if (options.signal?.aborted) await cancelled(qmp, clock, id).catch(() => {});
    throw error;
  }
}

async function untilConcluded(qmp: Qmp, clock: Clock, id: string, options: JobOptions): Promise<void> {
  const { signal = new AbortController().signal, onProgress } = options;
  for (;;) {
    signal.throwIfAborted();
    // Listened to before it is asked, so that no change falls between.
    using change = nextChange(qmp, id);
    const job = (await listJobs(qmp, { signal })).find((candidate) => candidate.id === id);
    if (job === undefined) throw jobFailed(id, 'somebody else has taken it away');
    onProgress?.(job.progress);
    if (job.status === 'concluded') {
      await qmp.execute('job-dismiss', { id }, { signal });
      if (job.error === undefined) return;
      throw jobFailed(id, job.error);
    }
    if (job.status === 'ready') await qmp.execute('job-complete', { id }, { signal });
    await settledOrAborted(change.promise, AbortSignal.any([signal, clock.deadline(pollMs)]));
  }
}

function nextChange(qmp: Qmp, id: string): Disposable & { promise: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const leave = qmp.onEvent(({ event, data }) => {
    if (event === 'JOB_STATUS_CHANGE' && data.id === id) resolve();
  });
  return { promise, [Symbol.dispose]: leave };
}

/** Ends every job, also those that have concluded and wait to be asked how; resolves when there is none. */
export async function endJobs(qmp: Qmp, clock: Clock, options: CommandOptions = {}): Promise<void> {
  for (const { id, status } of await listJobs(qmp, options)) {
    if (status === 'concluded') await qmp.execute('job-dismiss', { id }, options);
    // It may conclude before it hears, and ends well then.
    else await cancelled(qmp, clock, id).catch(ignoreFailedJob);
  }
}

const ignoreFailedJob = (error: unknown): void => {
  if (!isAppError(error, 'BLOCK_JOB_FAILED')) throw error;
};

async function cancelled(qmp: Qmp, clock: Clock, id: string): Promise<void> {
  const signal = clock.deadline(cancelMs);
  await qmp.execute('job-cancel', { id }, { signal });
  await untilConcluded(qmp, clock, id, { signal });
}

export async function listJobs(qmp: Qmp, options: CommandOptions = {}): Promise<SeenJob[]> {
  const answer = await qmp.execute('query-jobs', {}, options);
  return (Array.isArray(answer) ? answer : []).filter(isObject).map((job) => ({
    id: String(job.id),
    status: String(job.status),
    progress: { done: Number(job['current-progress'] ?? 0), total: Number(job['total-progress'] ?? 0) },
    error: typeof job.error === 'string' ? job.error : undefined,
  }));
}

const jobFailed = (id: string, reason: string): AppError =>
  new AppError('BLOCK_JOB_FAILED', `the job ${id} of the storage daemon has failed: ${reason}`);
