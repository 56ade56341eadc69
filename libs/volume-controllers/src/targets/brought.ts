import type { KubeObject } from '@lateen/api-types';
import { keyOf, keyText, type ObjectKey } from '@lateen/kube';
import type { Informer, Watch, WorkQueue } from '@lateen/kube-runtime';

/**
 * Results of effects that are not objects: the answer of a backup target. Kept by the key of the object, whose next pass reads it; a restarted
 * manager asks again. Memory: one answer for each object of the kind.
 */
export class Brought<T> {
  readonly #answers = new Map<string, T>();
  #queue: WorkQueue | undefined;

  get(object: KubeObject): T | undefined {
    return this.#answers.get(keyText(keyOf(object)));
  }

  /** The object is worked on again. */
  set(object: KubeObject, answer: T): void {
    const key = keyText(keyOf(object));
    this.#answers.set(key, answer);
    this.#queue?.add(key);
  }

  forget(key: ObjectKey): void {
    this.#answers.delete(keyText(key));
  }

  /** Queues the key of an answer. */
  watch(informer: Informer<KubeObject>): Watch {
    return {
      informer,
      feed: (queue) => {
        this.#queue = queue;
      },
    };
  }
}
