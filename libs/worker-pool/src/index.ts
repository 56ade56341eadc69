export { programBeside } from './program-beside.ts';
export { type ServedTasks, serveTasks } from './serve-tasks.ts';
export { type WorkerPool, type WorkerPoolOptions, workerPool } from './worker-pool.ts';
