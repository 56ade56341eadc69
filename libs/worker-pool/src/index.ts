export { programBeside } from './program-beside.ts';
export { serveTasks, type TaskHandler } from './serve-tasks.ts';
export { type WorkerPool, type WorkerPoolOptions, workerPool } from './worker-pool.ts';
