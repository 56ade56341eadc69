import type { Clock } from '@lateen/kernel';
import { type Engine, generationOf, type Replica, storageAnnotations } from '@lateen/storage-types';
import type { VolumeSeen } from '@lateen/volume-decisions';

interface Start {
  readonly generation: number;
  readonly sinceMs: number;
  promisedMs?: number;
}

/**
 * How long this manager has seen the present start of each engine, by the monotonic clock. Another manager, or this one after a restart, begins at
 * zero and so only waits longer. Memory: the engines of the volumes of this manager.
 */
export class StartClocks {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #starts = new Map<string, Start>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  look(volumeKey: string, engine: Engine | undefined, replicas: readonly Replica[]): VolumeSeen['start'] {
    const nowMs = this.#clock.monotonicMs();
    const generation = engine === undefined ? 0 : (generationOf(engine) ?? 0);
    const known = this.#starts.get(volumeKey);
    const start: Start = known?.generation === generation ? known : { generation, sinceMs: nowMs };
    this.#starts.set(volumeKey, start);
    const hasPromised = replicas.some(
      ({ metadata }) => Number(metadata.annotations?.[storageAnnotations.promised] ?? 0) === generation,
    );
    if (hasPromised && generation > 0) start.promisedMs ??= nowMs;
    const { promisedMs } = start;
    return {
      sinceGenerationMs: nowMs - start.sinceMs,
      ...(promisedMs === undefined ? {} : { sinceFirstPromiseMs: nowMs - promisedMs }),
    };
  }

  forget(volumeKey: string): void {
    this.#starts.delete(volumeKey);
  }
}
