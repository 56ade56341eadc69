/**
 * Worker threads that all run the same program. Plain data goes in and out by structured clone; SharedArrayBuffers are shared.
 */
export interface WorkerPool<Task, Result> {
  readonly size: number;
  /**
   * Runs one task on the next free worker. Rejects with what the task threw (an AppError stays one, with code, retry fate and
   * next step), WORKER_DIED when its thread ended (out of memory, exit), after which the pool has a new one, and the
   * signal's reason for tasks that have not begun.
   */
  run(task: Task, signal: AbortSignal): Promise<Result>;
  /** CPU time of the workers so far, in ms. */
  cpuMs(): number;
  /** Waits for tasks that run, then ends the threads. */
  close(): Promise<void>;
}
