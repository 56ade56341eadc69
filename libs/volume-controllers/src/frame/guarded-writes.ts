import { isDeepStrictEqual } from 'node:util';
import type { KubeObject } from '@lateen/api-types';
import {
  deleteIfThere,
  groupResourceText,
  type KubeApi,
  keyOf,
  keyText,
  type ObjectKey,
  type ResourceType,
} from '@lateen/kube';

/** A write of a pass that its caches will show some time later. */
export interface OwnWrite {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  /** True while the cached object is older than the write. */
  isBehind(cached: KubeObject | undefined): boolean;
}

/**
 * The writes of one pass. Each is an update of the object as it was read, or as this pass has written it before: if another writer has changed it
 * meanwhile, the update fails with a conflict, which ends the pass. An update that would change nothing is not sent.
 */
export class GuardedWrites {
  readonly #kube: KubeApi;
  readonly #signal: AbortSignal;
  readonly #latest = new Map<string, KubeObject>();
  readonly #own: OwnWrite[] = [];
  readonly #gone = new Set<string>();

  constructor(kube: KubeApi, signal: AbortSignal) {
    this.#kube = kube;
    this.#signal = signal;
  }

  /** What this pass has written; the next pass waits until the caches show it. */
  get own(): readonly OwnWrite[] {
    return this.#own;
  }

  /** The object as this pass has written it, or `read` if it has not. */
  latest<T extends KubeObject>(type: ResourceType<T>, read: T): T {
    return (this.#latest.get(identity(type, keyOf(read))) as T | undefined) ?? read;
  }

  /** This pass has removed its finalizer or deleted it: it must not be written any more. */
  isReleased(type: ResourceType, key: ObjectKey): boolean {
    return this.#gone.has(identity(type, key));
  }

  /**
   * `next` returns the changed object; undefined or the same object means no change. The status is not written. @throws KUBE_CONFLICT, KUBE_NOT_FOUND
   */
  async change<T extends KubeObject>(
    type: ResourceType<T>,
    read: T,
    next: (latest: T) => T | undefined,
  ): Promise<void> {
    const before = this.latest(type, read);
    const wanted = next(before);
    if (wanted === undefined || isSameJson(wanted, before)) return;
    this.#note(type, before, await this.#kube.update(type, wanted, { signal: this.#signal }));
  }

  /** Replaces the whole status. @throws KUBE_CONFLICT, KUBE_NOT_FOUND */
  async status<T extends KubeObject & { readonly status?: object }>(
    type: ResourceType<T>,
    read: T,
    status: object,
  ): Promise<T> {
    const before = this.latest(type, read);
    if (isSameJson(before.status ?? {}, status)) return before;
    const options = { signal: this.#signal, subresource: 'status' };
    const written = await this.#kube.update(type, { ...before, status }, options);
    this.#note(type, before, written);
    return written;
  }

  /** @throws KUBE_ALREADY_EXISTS */
  async create<T extends KubeObject>(type: ResourceType<T>, object: T): Promise<void> {
    const made = await this.#kube.create<T>(type, object, { signal: this.#signal });
    const key = keyOf(made);
    this.#latest.set(identity(type, key), made);
    this.#own.push({ type, key, isBehind: (cached) => cached === undefined });
  }

  /** Deletes as any client would: finalizers delay it. Only the object with this uid. */
  async delete(type: ResourceType, object: KubeObject): Promise<void> {
    await deleteIfThere(this.#kube, type, object, this.#signal);
    const { uid, finalizers = [] } = object.metadata;
    if (finalizers.length === 0) this.#gone.add(identity(type, keyOf(object)));
    const isBehind = (cached: KubeObject | undefined) =>
      cached !== undefined && cached.metadata.uid === uid && cached.metadata.deletionTimestamp === undefined;
    this.#own.push({ type, key: keyOf(object), isBehind });
  }

  /** Removes a finalizer; the object may be gone afterwards, so its status is not written any more. */
  async release<T extends KubeObject>(type: ResourceType<T>, read: T, finalizer: string): Promise<void> {
    await this.change(type, read, (object) => {
      const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== finalizer);
      return { ...object, metadata: { ...object.metadata, finalizers } };
    });
    this.#gone.add(identity(type, keyOf(read)));
  }

  #note<T extends KubeObject>(type: ResourceType<T>, before: T, after: T): void {
    const key = keyOf(after);
    this.#latest.set(identity(type, key), after);
    const { resourceVersion } = before.metadata;
    if (resourceVersion === after.metadata.resourceVersion) return;
    this.#own.push({ type, key, isBehind: (cached) => cached?.metadata.resourceVersion === resourceVersion });
  }
}

const identity = (type: ResourceType, key: ObjectKey): string => `${groupResourceText(type)}/${keyText(key)}`;

/** Compares as JSON does: a field that is undefined counts as absent. */
export function isSameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));
