import type { Clock } from '@lateen/kernel';
import type { OwnWrite } from './guarded-writes.ts';
import type { StorageCaches } from './storage-caches.ts';

/** If a cache does not show a write within this time, its watch is broken; the API server then refuses what is decided from it. */
export const ownWritesShownMs = 5_000;

/**
 * Writes of passes that caches do not show yet. A decision from the older state would only cause calls that end in a conflict. Memory: the keys whose
 * last pass has written.
 */
export class OwnWrites {
  readonly #caches: Pick<StorageCaches, 'informerOf'>;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { readonly writes: readonly OwnWrite[]; readonly untilMs: number }>();

  constructor(caches: Pick<StorageCaches, 'informerOf'>, clock: Clock) {
    this.#caches = caches;
    this.#clock = clock;
  }

  note(key: string, writes: readonly OwnWrite[]): void {
    if (writes.length === 0) this.#waiting.delete(key);
    else this.#waiting.set(key, { writes, untilMs: this.#clock.monotonicMs() + ownWritesShownMs });
  }

  /** Ms until the key is processed anyway; undefined when the caches show all of its writes. */
  waitMs(key: string): number | undefined {
    const waiting = this.#waiting.get(key);
    if (waiting === undefined) return undefined;
    const leftMs = waiting.untilMs - this.#clock.monotonicMs();
    const isBehind = waiting.writes.some(({ type, key: of, isBehind: test }) => {
      const cache = this.#caches.informerOf(type);
      return cache !== undefined && test(cache.get(of));
    });
    if (isBehind && leftMs > 0) return leftMs;
    this.#waiting.delete(key);
    return undefined;
  }
}
