import type { KubeObject } from '@lateen/api-types';
import type { Change, Informer } from '@lateen/kube-runtime';

export type FeedHandler<T> = (change: Change<T>) => void;

/** Changes of objects, one key at a time, out of one informer that all data paths of a process share. */
export interface KeyedFeed<T extends KubeObject> {
  /** The handler gets every later change of objects with this key until the returned function is called. */
  subscribe(key: string, handler: FeedHandler<T>): () => void;
  /** What is known now under the key. */
  current(key: string): readonly T[];
}

/**
 * Spreads one informer's changes by key. Finding the handlers is one map access per change, so a hundred data paths
 * cost no more than one. Ends with the informer.
 */
export function keyedFeed<T extends KubeObject>(
  source: Pick<Informer<T>, 'list' | 'onChange'>,
  keyOf: (object: T) => string,
): KeyedFeed<T> {
  const handlers = new Map<string, Set<FeedHandler<T>>>();
  source.onChange((change) => {
    for (const handler of [...(handlers.get(keyOf(change.object)) ?? [])]) handler(change);
  });
  return {
    subscribe: (key, handler) => {
      const ofKey = handlers.get(key) ?? new Set();
      handlers.set(key, ofKey.add(handler));
      return () => {
        ofKey.delete(handler);
        if (ofKey.size === 0 && handlers.get(key) === ofKey) handlers.delete(key);
      };
    },
    current: (key) => source.list().filter((object) => keyOf(object) === key),
  };
}
