import type { Clock } from '@lateen/kernel';
import type { OwnWrite } from './guarded-writes.ts';
import type { StorageCaches } from './storage-caches.ts';

/** A cache that does not show a write by then has a broken watch; what is decided by it is refused by the API server. */
export const ownWritesShownMs = 5_000;

/**
 * What passes have written and caches do not show yet. Deciding again by what was there before would only cost calls that end in a
 * conflict. Memory: the keys whose last pass has written.
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

  /** Ms until the key is worked on anyway; undefined when the caches show all of its writes. */
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
