import type { Clock } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { again, type Outcome, waiting } from '@lateen/kube-runtime';
import { Sight } from '../gather/sight.ts';
import type { Movement, MovementKind } from '../kinds/movement-kind.ts';
import type { MovementLimits } from '../movement-limits.ts';
import { writeWaitingNote } from './write-note.ts';

export interface LineNotePorts<T extends Movement> {
  kube: KubeApi;
  kind: MovementKind<T>;
  clock: Clock;
  limits: Pick<MovementLimits, 'explainAfterMs'>;
}

/**
 * Writes to status.message what a queued movement waits for (preparation, a slot); once, after a while, so that a short wait
 * costs no call. The queue triggers the reconciliation, not this note.
 */
export class LineNote<T extends Movement> {
  readonly #ports: LineNotePorts<T>;
  /** What each movement waits for, and since when; by key. */
  readonly #waits = new Map<string, { line: string; sinceMs: number }>();

  constructor(ports: LineNotePorts<T>) {
    this.#ports = ports;
  }

  /** @throws KUBE_CONFLICT when the object has changed meanwhile */
  async waits(object: T, line: string, cause: string, signal: AbortSignal): Promise<Outcome> {
    const { clock, limits } = this.#ports;
    const key = Sight.key(object);
    const known = this.#waits.get(key);
    const sinceMs = known?.line === line ? known.sinceMs : clock.monotonicMs();
    this.#waits.set(key, { line, sinceMs });
    const leftMs = sinceMs + limits.explainAfterMs - clock.monotonicMs();
    if (leftMs > 0) return again(leftMs, line);
    await writeWaitingNote(this.#ports, object, cause, signal);
    return waiting(line);
  }

  /** The movement no longer waits. */
  forget(key: string): void {
    this.#waits.delete(key);
  }
}

export const roomText = (max: number): string =>
  `${max} ${max === 1 ? 'movement is' : 'movements are'} being prepared, the maximum (prepareQueueLength in the node-agent configuration)`;
export const nodeRoomText = (node: string, max: number): string =>
  `${max} movements of volumes of pods are being prepared on node ${node}, and the next one follows when one of them has begun`;
export const slotText = (node: string, max: number): string =>
  `${max} data ${max === 1 ? 'path runs' : 'paths run'} on node ${node}, the maximum (loadConcurrency in the node-agent configuration)`;
