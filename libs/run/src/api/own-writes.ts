import { type KubeObject, keyOf, keyText } from '@lateen/kube';

/**
 * What we have written and an informer has not shown yet: who decides by its cache right after a write would decide by what was
 * before. An entry is dropped as soon as the cache has anything but the versions that were written over. Bounded by the objects
 * that were written and not shown.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #written = new Map<string, { covers: Set<string | undefined>; object: T }>();

  /** `before` is what the write was made on. */
  add(before: T, after: T): void {
    const key = keyText(keyOf(before));
    const covers = this.#written.get(key)?.covers ?? new Set();
    covers.add(before.metadata.resourceVersion);
    this.#written.set(key, { covers, object: after });
  }

  /** The objects of the cache, with our own writes in place of what they were made on. */
  over(cached: readonly T[]): T[] {
    const keys = new Set<string>();
    const latest = cached.map((object) => {
      const key = keyText(keyOf(object));
      keys.add(key);
      const own = this.#written.get(key);
      if (own === undefined) return object;
      if (own.covers.has(object.metadata.resourceVersion)) return own.object;
      this.#written.delete(key);
      return object;
    });
    for (const key of this.#written.keys()) if (!keys.has(key)) this.#written.delete(key);
    return latest;
  }
}
