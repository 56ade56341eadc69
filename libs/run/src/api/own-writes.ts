import { type KubeObject, keyOf, keyText } from '@lateen/kube';

/**
 * Our own writes that an informer does not show yet: a decision from the cache right after a write would use the state before it.
 * An entry is dropped when the cache has any version other than those that were overwritten. Bounded by the objects that were
 * written and are not shown yet.
 */
export class OwnWrites<T extends KubeObject> {
  readonly #written = new Map<string, { covers: Set<string | undefined>; object: T }>();

  /** `before`: the version on which the write was made. */
  add(before: T, after: T): void {
    const key = keyText(keyOf(before));
    const covers = this.#written.get(key)?.covers ?? new Set();
    covers.add(before.metadata.resourceVersion);
    this.#written.set(key, { covers, object: after });
  }

  /** The cached objects, replaced by our own newer writes. */
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
