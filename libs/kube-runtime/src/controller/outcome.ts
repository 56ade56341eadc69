import type { ObjectKey } from '@lateen/kube';

/**
 * What a reconciler found, when it did not throw.
 * - `settled`: nothing to do until the object changes.
 * - `again`: look once more after `afterMs`, changed or not; the reason is logged.
 * - `waiting`: something else has to happen, and a watch will tell; `on` says what, for the log.
 */
export type Outcome =
  | { kind: 'settled' }
  | { kind: 'again'; afterMs: number; reason: string }
  | { kind: 'waiting'; on: string };

export const settled: Outcome = { kind: 'settled' };
export const again = (afterMs: number, reason: string): Outcome => ({ kind: 'again', afterMs, reason });
export const waiting = (on: string): Outcome => ({ kind: 'waiting', on });

/**
 * Brings the world nearer to what one object asks for. Gets a key, not an event: it reads the object itself, may run
 * twice for one change and keeps nothing in memory that matters. Throwing means: again, as the error's `retry` says.
 */
export interface Reconciler {
  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome>;
}
