export type { WorkerPool } from './worker-pool.ts';
