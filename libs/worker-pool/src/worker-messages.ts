import type { SentError } from './sent-error.ts';

/** To a worker. */
export interface TaskMessage {
  id: number;
  task: unknown;
}

/** To a worker, once: what it was given before is done, nothing comes after it, and it ends by itself. */
export interface CloseMessage {
  close: true;
}

/** From a worker; `cpuMs` is what its thread has used since it began. */
export type ResultMessage =
  | { id: number; cpuMs: number; result: unknown }
  | { id: number; cpuMs: number; error: SentError }
  /** The program could not close. */
  | { closeError: SentError };
