import type { Random } from './random.ts';

export interface BackoffLimits {
  firstMs: number;
  maxMs: number;
  /** Each delay is the previous one times this factor. */
  factor: number;
  /** 0.2 spreads a delay over ±20 %. */
  jitter: number;
}

/** The delay before attempt `attempt` + 1, in ms, without jitter: for a delay that two processes have to compute alike. */
export function plainBackoffMs(attempt: number, limits: Omit<BackoffLimits, 'jitter'>): number {
  return Math.min(limits.firstMs * limits.factor ** Math.max(attempt - 1, 0), limits.maxMs);
}

/** The delay before attempt `attempt` + 1, in ms; `attempt` counts from 1. */
export function backoffMs(attempt: number, limits: BackoffLimits, random: Random): number {
  const raw = plainBackoffMs(attempt, limits);
  return Math.round(raw * (1 - limits.jitter + 2 * limits.jitter * random.next()));
}
