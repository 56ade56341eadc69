import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '@lateen/errors';
import { type Clock, type Logger, settledOrAborted } from '@lateen/kernel';
import { received } from './sent-error.ts';
import type { CloseMessage, ResultMessage, TaskMessage } from './worker-messages.ts';

/** One call of `run`. */
export interface PooledTask {
  task: unknown;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface WorkerThreadOptions {
  program: URL;
  data: unknown;
  heapMB: number | undefined;
  clock: Clock;
  log: Logger;
  /** A task has settled: there is room for another. */
  onRoom(): void;
  /** The thread has ended by itself; `sent` have not settled, and nobody knows how far they came. */
  onDeath(error: AppError, sent: readonly PooledTask[]): void;
}

/**
 * From the request to end until the thread is ended from outside. A thread that is asked ends in milliseconds; this is for one
 * that is stuck, and well below what a pod has between SIGTERM and SIGKILL.
 */
export const closeMs = 10_000;

/** One thread and the tasks that were sent to it, in order. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #tasks = new Map<number, PooledTask>();
  #count = 0;
  #cpuMs = 0;
  #results = 0;
  #isEnding = false;
  /** Resolves when the thread is gone. */
  readonly #exited: Promise<void>;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor({ program, data, heapMB, clock, log, onRoom, onDeath }: WorkerThreadOptions) {
    this.#clock = clock;
    this.#log = log;
    this.#worker = new Worker(program, {
      workerData: data,
      name: 'pool',
      // Nothing of the process is inherited: neither its flags, nor its environment with what is secret in there.
      execArgv: [],
      env: compileCache(),
      ...(heapMB === undefined ? {} : { resourceLimits: heapLimits(heapMB) }),
    });
    let cause: unknown;
    this.#worker.on('message', (message: ResultMessage) => {
      if ('closeError' in message) {
        log.warn({ err: received(message.closeError) }, 'a worker thread could not give back all that it had');
        return;
      }
      this.#settle(message);
      onRoom();
    });
    this.#worker.on('error', (error: unknown) => {
      cause ??= error;
      if (this.#isEnding) log.warn({ err: error }, 'a worker thread has failed at its end');
    });
    // An answer that cannot be read: nobody knows to which task.
    this.#worker.on('messageerror', (error) => {
      cause ??= error;
      void this.#leave();
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#exited = promise;
    this.#worker.on('exit', (exitCode) => {
      resolve();
      if (this.#isEnding) return;
      this.#isEnding = true;
      const sent = [...this.#tasks.values()];
      this.#tasks.clear();
      onDeath(deathOf(cause, exitCode, heapMB), sent);
    });
  }

  /** Sent and not settled. */
  get taken(): number {
    return this.#tasks.size;
  }

  /** CPU time of the thread, as of its last answer. */
  get cpuMs(): number {
    return this.#cpuMs;
  }

  /** Tasks that have settled. */
  get results(): number {
    return this.#results;
  }

  run(task: PooledTask): void {
    const id = this.#count++;
    try {
      this.#worker.postMessage({ id, task: task.task } satisfies TaskMessage);
    } catch (error) {
      // It cannot be cloned.
      task.reject(error);
      return;
    }
    this.#tasks.set(id, task);
  }

  /** Resolves when the thread is gone. It ends by itself, or from outside when it does not within {@link closeMs}. */
  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#leave();
  }

  /**
   * Whoever is terminated cannot end its children, and is broken off wherever it is: in a call of the system, while its program
   * is still loaded. So it is asked to go first.
   */
  async #leave(): Promise<void> {
    this.#worker.postMessage({ close: true } satisfies CloseMessage);
    const late = this.#clock.deadline(closeMs);
    await settledOrAborted(this.#exited, late);
    if (!late.aborted) return;
    this.#log.warn({ closeMs }, 'a worker thread does not end by itself; it is terminated');
    await this.#worker.terminate();
  }

  #settle(message: Exclude<ResultMessage, { closeError: unknown }>): void {
    this.#cpuMs = message.cpuMs;
    this.#results++;
    const task = this.#tasks.get(message.id);
    this.#tasks.delete(message.id);
    if ('error' in message) task?.reject(received(message.error));
    else task?.resolve(message.result);
  }
}

/** Node takes compiled code in a thread only where the thread's own environment says so. */
function compileCache(): Record<string, string> {
  const directory = getCompileCacheDir();
  // It is that of this version of Node, in the one that was named.
  return directory === undefined ? {} : { NODE_COMPILE_CACHE: dirname(directory), NODE_COMPILE_CACHE_PORTABLE: '1' };
}

/** V8 takes three semi-spaces for young objects beside the old ones: without a bound that is 48 MiB in each thread. */
const heapLimits = (heapMB: number) => ({
  maxOldGenerationSizeMb: heapMB,
  maxYoungGenerationSizeMb: Math.max(3, Math.round(heapMB / 4)),
});

function deathOf(cause: unknown, exitCode: number, heapMB: number | undefined): AppError {
  if ((cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return new AppError('WORKER_DIED', `a worker thread needed more memory than its ${heapMB ?? 'few'} MiB`, {
      cause,
      retry: 'later',
      nextStep: 'Give the pod more memory.',
    });
  }
  const how = cause === undefined ? `with exit code ${exitCode}` : 'because of an error that nothing caught';
  return new AppError('WORKER_DIED', `a worker thread ended ${how}`, { cause, retry: 'later' });
}
