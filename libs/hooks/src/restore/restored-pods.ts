import { getValidName, labels, type Pod, podType } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText, type ObjectKey, readObject } from '@lateen/kube';
import { type Change, type Informer, informer } from '@lateen/kube-runtime';

export interface RestoredPodsPorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** Called for each change of a pod, with undefined when the pod is gone. */
type Watcher = (pod: Pod | undefined) => void;

/** Watches the pods of one restore: one watch per namespace for any number of waiters. */
export class RestoredPods {
  readonly #ports: RestoredPodsPorts;
  readonly #labelSelector: string;
  readonly #ended = new AbortController();
  readonly #informers = new Map<string, Informer<Pod>>();
  readonly #watchers = new Map<string, Set<Watcher>>();

  constructor(restoreName: string, ports: RestoredPodsPorts) {
    this.#ports = ports;
    this.#labelSelector = `${labels.restoreName}=${getValidName(restoreName)}`;
  }

  /**
   * Waits until `look` returns a result for the pod; it is called with undefined when the pod is gone.
   * @throws the signal's reason; the API server's error when the pod cannot be read
   */
  async until<R>(key: ObjectKey, look: (pod: Pod | undefined) => R | undefined, signal: AbortSignal): Promise<R> {
    const watched = this.#informerOf(key.namespace ?? '');
    const change = Promise.withResolvers<R>();
    const watcher: Watcher = (pod) => {
      const found = look(pod);
      if (found !== undefined) change.resolve(found);
    };
    const onAbort = () => change.reject(signal.reason);
    const stop = this.#watch(key, watcher);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      await watched.synced(signal);
      // The pod may have been created and deleted before the watch started.
      watcher(watched.get(key) ?? (await readObject(this.#ports.kube, podType, key, signal)));
      return await change.promise;
    } finally {
      // Prevents an unhandled rejection when something else has failed first.
      change.promise.catch(() => {});
      stop();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Call it when no waiter is left. */
  end(): void {
    this.#ended.abort();
  }

  #watch(key: ObjectKey, watcher: Watcher): () => void {
    const text = keyText(key);
    const watchers = this.#watchers.get(text) ?? new Set<Watcher>();
    this.#watchers.set(text, watchers.add(watcher));
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) this.#watchers.delete(text);
    };
  }

  #informerOf(namespace: string): Informer<Pod> {
    const known = this.#informers.get(namespace);
    if (known !== undefined) return known;
    const { kube: api, clock, random, log } = this.#ports;
    const labelSelector = this.#labelSelector;
    const made = informer({ api, type: podType, namespace, labelSelector, clock, random, log });
    made.onChange((change) => this.#tell(change));
    this.#informers.set(namespace, made);
    void made.run(this.#ended.signal);
    return made;
  }

  #tell({ type, object }: Change<Pod>): void {
    for (const watcher of [...(this.#watchers.get(keyText(keyOf(object))) ?? [])])
      watcher(type === 'deleted' ? undefined : object);
  }
}
