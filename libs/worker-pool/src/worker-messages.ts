import type { SentError } from './sent-error.ts';

/** To a worker. */
export interface TaskMessage {
  id: number;
  task: unknown;
}

/** From a worker; `cpuMs` is what its thread has used since it began. */
export type ResultMessage =
  | { id: number; cpuMs: number; result: unknown }
  | { id: number; cpuMs: number; error: SentError };
