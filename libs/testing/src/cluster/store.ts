import { isDeepStrictEqual } from 'node:util';
import type { ObjectKey, ResourceType, Unstructured } from '@lateen/kube';
import { keyText } from '@lateen/kube';
import { parseExactly } from './exact-json.ts';

/** One version of one object. The text is authoritative; `object` is parsed from it and never returned to callers. */
export interface Entry {
  readonly typeKey: string;
  readonly key: ObjectKey;
  readonly text: string;
  readonly object: Unstructured;
  readonly version: number;
}

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry;
  /** The previous version, with which watchers with a selector compare. */
  readonly before: Entry | undefined;
  readonly version: number;
}

/** Limit of the history; older versions are compacted, as in etcd. */
const historyMax = 50_000;

/** Kinds are identified by group and kind, so that a seeded object needs no plural. */
export const typeKeyOf = (type: Pick<ResourceType, 'group' | 'kind'>): string => `${type.group}/${type.kind}`;

export function typeKeyOfObject(object: { apiVersion: string; kind: string }): string {
  const slash = object.apiVersion.indexOf('/');
  return typeKeyOf({ group: slash < 0 ? '' : object.apiVersion.slice(0, slash), kind: object.kind });
}

/** The part of etcd: the current text of every object, one version counter, and the history for watches. */
export class ObjectStore {
  #version = 1;
  #compactedVersion = 0;
  readonly #kinds = new Map<string, Map<string, Entry>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #byUid = new Map<string, Entry>();
  #history: Change[] = [];

  get version(): number {
    return this.#version;
  }

  /** Watches and continued lists that start before this version get 410. */
  get compactedVersion(): number {
    return this.#compactedVersion;
  }

  get(typeKey: string, key: ObjectKey): Entry | undefined {
    return this.#kinds.get(typeKey)?.get(keyText(key));
  }

  /** In the order of etcd's keys: by namespace, then name. */
  entries(typeKey: string): Entry[] {
    const kind = this.#kinds.get(typeKey);
    if (kind === undefined) return [];
    return [...kind.values()].sort((a, b) => compareKeys(a.key, b.key));
  }

  /** The object with this UID, of any kind. */
  byUid(uid: string): Entry | undefined {
    return this.#byUid.get(uid);
  }

  all(): Entry[] {
    return [...this.#kinds.keys()].sort().flatMap((typeKey) => this.entries(typeKey));
  }

  /** Stores the object under the next version. An object equal to the stored one changes nothing, as in the API. */
  put(typeKey: string, key: ObjectKey, object: Unstructured): Entry {
    const before = this.get(typeKey, key);
    if (before !== undefined && isSame(before, object)) return before;
    const entry = this.#stamp(typeKey, key, object);
    const kind = this.#kinds.get(typeKey) ?? new Map<string, Entry>();
    this.#kinds.set(typeKey, kind.set(keyText(key), entry));
    this.#forgetUid(before);
    this.#byUid.set(entry.object.metadata.uid ?? '', entry);
    this.#publish({ type: before === undefined ? 'ADDED' : 'MODIFIED', entry, before, version: entry.version });
    return entry;
  }

  /** Removes the object. The last version, which DELETED events carry, has its own version number. */
  remove(typeKey: string, key: ObjectKey, last?: Unstructured): Entry | undefined {
    const before = this.get(typeKey, key);
    if (before === undefined) return undefined;
    const entry = this.#stamp(typeKey, key, last ?? exactCopy(before));
    this.#kinds.get(typeKey)?.delete(keyText(key));
    this.#forgetUid(before);
    this.#publish({ type: 'DELETED', entry, before, version: entry.version });
    return entry;
  }

  since(version: number): Change[] {
    return this.#history.filter((change) => change.version > version);
  }

  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Drops the history up to now. */
  compact(): void {
    this.#history = [];
    this.#compactedVersion = this.#version;
  }

  #forgetUid(entry: Entry | undefined): void {
    if (entry !== undefined) this.#byUid.delete(entry.object.metadata.uid ?? '');
  }

  /** Objects with owner references, in no particular order. */
  owned(): Entry[] {
    return [...this.#byUid.values()].filter((entry) => (entry.object.metadata.ownerReferences ?? []).length > 0);
  }

  #stamp(typeKey: string, key: ObjectKey, object: Unstructured): Entry {
    const version = ++this.#version;
    const text = JSON.stringify({ ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    return { typeKey, key, text, object: JSON.parse(text), version };
  }

  #publish(change: Change): void {
    this.#history.push(change);
    if (this.#history.length > historyMax) {
      const dropped = this.#history.splice(0, historyMax / 2);
      this.#compactedVersion = dropped.at(-1)?.version ?? this.#compactedVersion;
    }
    for (const listener of [...this.#listeners]) listener(change);
  }
}

/** A copy to change and write back; numbers that a double would change keep their text. */
export const exactCopy = (entry: Entry): Unstructured => parseExactly(entry.text) as Unstructured;

function isSame(before: Entry, object: Unstructured): boolean {
  const { resourceVersion } = before.object.metadata;
  const stamped = { ...object, metadata: { ...object.metadata, resourceVersion } };
  const text = JSON.stringify(stamped);
  // The order of fields does not change the length; texts that reach the deep comparison are nearly always equal.
  if (text.length !== before.text.length) return false;
  return text === before.text || isDeepStrictEqual(parseExactly(text), exactCopy(before));
}

const etcdKey = (key: ObjectKey): string => `${key.namespace ?? ''}/${key.name}`;

/** The sort order of lists. */
export function compareKeys(a: ObjectKey, b: ObjectKey): number {
  const [one, other] = [etcdKey(a), etcdKey(b)];
  return one < other ? -1 : one > other ? 1 : 0;
}
