import type { ObjectKey } from '@lateen/kube';

/**
 * The result of a reconciler that did not throw.
 * - `settled`: nothing to do until the object changes.
 * - `again`: look again after `afterMs`, changed or not; the reason is logged.
 * - `waiting`: something else has to happen, and a watch will show it; `on` says what, for the log.
 */
export type Outcome =
  | { kind: 'settled' }
  | { kind: 'again'; afterMs: number; reason: string }
  | { kind: 'waiting'; on: string };

export const settled: Outcome = { kind: 'settled' };
export const again = (afterMs: number, reason: string): Outcome => ({ kind: 'again', afterMs, reason });
export const waiting = (on: string): Outcome => ({ kind: 'waiting', on });

/**
 * Moves the actual state towards what one object asks for. Gets a key, not an event: it reads the object itself, may run twice for one change and
 * keeps no essential state in memory. After an error it runs again, as the error's `retry` says.
 */
export interface Reconciler {
  reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome>;
}
