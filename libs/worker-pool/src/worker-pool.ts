import { AppError } from '@lateen/errors';
import type { Clock, Logger } from '@lateen/kernel';
import { type PooledTask, WorkerThread } from './worker-thread.ts';

/**
 * Worker threads that all run the same program. Plain data goes in and out by structured clone; SharedArrayBuffers are shared.
 */
export interface WorkerPool<Task, Result> {
  readonly size: number;
  /**
   * Runs one task on the next free worker. Rejects with what the task threw (an AppError stays one, with code, retry fate and
   * next step), WORKER_DIED when the thread that it was sent to ended (out of memory, exit), after which the pool has a new
   * one, and the signal's reason when it was not sent to a thread yet; what was sent runs to its end.
   */
  run(task: Task, signal: AbortSignal): Promise<Result>;
  /** CPU time of the workers so far, in ms. */
  cpuMs(): number;
  /**
   * Waits for tasks that run, then for the threads to close and end by themselves; one that does not within ten seconds is
   * terminated. Tasks that wait for a worker reject with WORKER_POOL_CLOSED. Never rejects.
   */
  close(): Promise<void>;
}

export interface WorkerPoolOptions {
  /** The module that each thread runs; it calls `serveTasks`. */
  program: URL;
  size: number;
  /** Handed to the program of each thread, cloned. */
  data?: unknown;
  /** The JavaScript heap of each thread; buffers count apart. Default: what Node allows. */
  heapMB?: number;
  clock: Clock;
  log: Logger;
}

/** One runs and one waits in its thread, so that a busy main thread does not let workers idle. */
const sentMax = 2;

/** Threads that end one after the other without finishing a task: the program cannot run at all. */
const deathsMax = 3;

/** Starts the threads at once. */
export function workerPool<Task, Result>(options: WorkerPoolOptions): WorkerPool<Task, Result> {
  const pool = new Pool(options);
  return {
    size: options.size,
    run: (task, signal) => pool.run(task, signal) as Promise<Result>,
    cpuMs: () => pool.cpuMs(),
    close: () => pool.close(),
  };
}

class Pool {
  readonly #options: WorkerPoolOptions;
  readonly #threads = new Set<WorkerThread>();
  /** In the order of the calls. */
  readonly #waiting = new Set<PooledTask>();
  /** Of threads that are gone. */
  #cpuMs = 0;
  #deaths = 0;
  /** Why no task is taken any more. */
  #ended: AppError | undefined;
  #idle: (() => void) | undefined;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    for (let index = 0; index < options.size; index++) this.#start();
  }

  run(task: unknown, signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        if (this.#waiting.delete(pooled)) reject(signal.reason);
      };
      const forget = () => signal.removeEventListener('abort', onAbort);
      const pooled: PooledTask = {
        task,
        resolve: (result) => {
          forget();
          resolve(result);
        },
        reject: (error) => {
          forget();
          reject(error);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(pooled);
      this.#send();
    });
  }

  cpuMs(): number {
    return [...this.#threads].reduce((sum, thread) => sum + thread.cpuMs, this.#cpuMs);
  }

  async close(): Promise<void> {
    this.#end(new AppError('WORKER_POOL_CLOSED', 'the worker threads have been ended'));
    while ([...this.#threads].some(({ taken }) => taken > 0)) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await Promise.all([...this.#threads].map((thread) => this.#drop(thread).end()));
  }

  #start(): void {
    const { program, data, heapMB, clock, log } = this.#options;
    const thread: WorkerThread = new WorkerThread({
      program,
      data,
      heapMB,
      clock,
      log,
      onRoom: () => this.#send(),
      onDeath: (error, sent) => this.#died(thread, error, sent),
    });
    this.#threads.add(thread);
  }

  /** Gives waiting tasks to threads that have least to do. */
  #send(): void {
    for (const pooled of this.#waiting) {
      const [thread] = [...this.#threads].filter(({ taken }) => taken < sentMax).sort((a, b) => a.taken - b.taken);
      if (thread === undefined) break;
      this.#waiting.delete(pooled);
      thread.run(pooled);
    }
    this.#idle?.();
  }

  #died(thread: WorkerThread, error: AppError, sent: readonly PooledTask[]): void {
    this.#drop(thread);
    this.#options.log.warn({ err: error }, 'a worker thread has ended');
    for (const pooled of sent) pooled.reject(error);
    this.#deaths = thread.results > 0 ? 1 : this.#deaths + 1;
    if (this.#deaths >= deathsMax) this.#end(error);
    if (this.#ended === undefined) this.#start();
    this.#send();
  }

  #end(reason: AppError): void {
    this.#ended ??= reason;
    for (const pooled of this.#waiting) pooled.reject(reason);
    this.#waiting.clear();
  }

  #drop(thread: WorkerThread): WorkerThread {
    if (this.#threads.delete(thread)) this.#cpuMs += thread.cpuMs;
    return thread;
  }
}
