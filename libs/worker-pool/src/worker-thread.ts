import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { AppError } from '@lateen/errors';
import { received } from './sent-error.ts';
import type { ResultMessage, TaskMessage } from './worker-messages.ts';

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
  /** A task has settled: there is room for another. */
  onRoom(): void;
  /** The thread has ended by itself; `sent` have not settled, and nobody knows how far they came. */
  onDeath(error: AppError, sent: readonly PooledTask[]): void;
}

/** One thread and the tasks that were sent to it, in order. */
export class WorkerThread {
  readonly #worker: Worker;
  readonly #tasks = new Map<number, PooledTask>();
  #count = 0;
  #cpuMs = 0;
  #results = 0;
  #isEnding = false;

  constructor({ program, data, heapMB, onRoom, onDeath }: WorkerThreadOptions) {
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
      this.#settle(message);
      onRoom();
    });
    this.#worker.on('error', (error: unknown) => {
      cause ??= error;
    });
    // An answer that cannot be read: nobody knows to which task.
    this.#worker.on('messageerror', (error) => {
      cause ??= error;
      void this.#worker.terminate();
    });
    this.#worker.on('exit', (exitCode) => {
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

  async end(): Promise<void> {
    this.#isEnding = true;
    await this.#worker.terminate();
  }

  #settle(message: ResultMessage): void {
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
