import type { KubeObject } from '@lateen/api-types';
import { keyOf, keyText, type ObjectKey } from '@lateen/kube';

/** For each index, the values by which an object is found. */
export type Indexers<T> = Readonly<Record<string, (object: T) => readonly string[]>>;

export type Change<T> =
  | { type: 'added'; object: T }
  | { type: 'updated'; object: T; previous: T }
  /** `object` is the last state that was seen. */
  | { type: 'deleted'; object: T };

/** Indexer: the value of one label. */
export const byLabel =
  (label: string) =>
  (object: KubeObject): string[] => {
    const value = object.metadata.labels?.[label];
    return value === undefined ? [] : [value];
  };

/** Objects by key and by index; every write says what changed. */
export class ObjectCache<T extends KubeObject> {
  readonly #indexers: Indexers<T>;
  #objects = new Map<string, T>();
  #indexes = new Map<string, Map<string, Set<string>>>();

  constructor(indexers: Indexers<T>) {
    this.#indexers = indexers;
    this.#indexes = this.#emptyIndexes();
  }

  get size(): number {
    return this.#objects.size;
  }

  get(key: ObjectKey): T | undefined {
    return this.#objects.get(keyText(key));
  }

  list(): T[] {
    return [...this.#objects.values()];
  }

  byIndex(index: string, value: string): T[] {
    const keys = this.#indexes.get(index);
    if (keys === undefined) throw new RangeError(`there is no indexer named ${index}`);
    return [...(keys.get(value) ?? [])].flatMap((key) => this.#objects.get(key) ?? []);
  }

  /** Replaces all objects before any handler is called; an object missing from `items` was deleted. */
  replace(items: readonly T[]): Change<T>[] {
    const before = this.#objects;
    this.#objects = new Map(items.map((object) => [keyText(keyOf(object)), object]));
    this.#indexes = this.#emptyIndexes();
    const changes: Change<T>[] = [];
    for (const [key, object] of this.#objects) {
      this.#index(key, object);
      const previous = before.get(key);
      if (previous !== undefined && !isSameObject(previous, object)) {
        changes.push({ type: 'deleted', object: previous }, { type: 'added', object });
      } else if (previous === undefined) {
        changes.push({ type: 'added', object });
      } else if (!isSameVersion(previous, object)) {
        changes.push({ type: 'updated', object, previous });
      }
    }
    for (const [key, object] of before) if (!this.#objects.has(key)) changes.push({ type: 'deleted', object });
    return changes;
  }

  apply(event: { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }): Change<T>[] {
    const { object } = event;
    const key = keyText(keyOf(object));
    const previous = this.#objects.get(key);
    if (previous !== undefined) this.#unindex(key, previous);
    if (event.type === 'DELETED') {
      this.#objects.delete(key);
      return previous === undefined ? [] : [{ type: 'deleted', object }];
    }
    this.#objects.set(key, object);
    this.#index(key, object);
    if (previous === undefined) return [{ type: 'added', object }];
    return isSameVersion(previous, object) ? [] : [{ type: 'updated', object, previous }];
  }

  #emptyIndexes(): Map<string, Map<string, Set<string>>> {
    return new Map(Object.keys(this.#indexers).map((name) => [name, new Map()]));
  }

  #index(key: string, object: T): void {
    for (const [name, values] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name);
      for (const value of values(object)) {
        const keys = index?.get(value) ?? new Set();
        index?.set(value, keys.add(key));
      }
    }
  }

  #unindex(key: string, object: T): void {
    for (const [name, values] of Object.entries(this.#indexers)) {
      const index = this.#indexes.get(name);
      for (const value of values(object)) {
        const keys = index?.get(value);
        keys?.delete(key);
        if (keys?.size === 0) index?.delete(value);
      }
    }
  }
}

/** An object that was deleted and created again between two lists is another object. */
const isSameObject = (a: KubeObject, b: KubeObject): boolean => a.metadata.uid === b.metadata.uid;
const isSameVersion = (a: KubeObject, b: KubeObject): boolean =>
  a.metadata.resourceVersion === b.metadata.resourceVersion;
