import type { KubeObject } from '@lateen/api-types';
import { orAborted } from '@lateen/kernel';
import { groupResourceText, type ObjectKey } from '@lateen/kube';
import { type Change, type Indexers, ObjectCache } from './object-cache.ts';
import { type ReflectorOptions, reflect } from './reflect.ts';

export interface InformerOptions<T extends KubeObject> extends ReflectorOptions<T> {
  /** Named ways to find objects; see {@link Informer.byIndex}. */
  indexers?: Indexers<T>;
  /** Interval at which handlers get every object again; off by default, because lost events are found by relisting. */
  resyncMs?: number;
}

export type ChangeHandler<T> = (change: Change<T>) => void;

export interface InformerStats {
  objects: number;
  /** Failed lists and watches since the start. */
  interruptions: number;
  /** Handlers that threw. */
  handlerErrors: number;
}

/**
 * A local copy of all objects of a kind (within a namespace or selector), kept up to date by one list and watch.
 * Objects are shared: never change one. Memory is bounded by the objects that exist.
 */
export interface Informer<T extends KubeObject> {
  /** Runs until `signal` aborts; then resolves. Call once. */
  run(signal: AbortSignal): Promise<void>;
  /** True once the first list has arrived. */
  readonly hasSynced: boolean;
  /** Resolves once the first list has arrived. @throws the signal's reason */
  synced(signal: AbortSignal): Promise<void>;
  get(key: ObjectKey): T | undefined;
  list(): T[];
  /** Objects for which the indexer of that name returns `value`. @throws RangeError for an unknown name */
  byIndex(index: string, value: string): T[];
  /**
   * Calls the handler for each change, synchronously and in order; existing objects are replayed as added. Its errors are logged and counted and do
   * not affect other handlers. The returned function unsubscribes.
   */
  onChange(handler: ChangeHandler<T>): () => void;
  stats(): InformerStats;
}

export function informer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const { clock } = options;
  const log = options.log.child({ resource: groupResourceText(options.type) });
  const handlers = new Set<ChangeHandler<T>>();
  const synced = Promise.withResolvers<void>();
  let hasSynced = false;
  let interruptions = 0;
  let handlerErrors = 0;

  const failed = (error: unknown) => {
    handlerErrors += 1;
    log.error({ err: error }, 'a change handler failed');
  };
  const tell = (handler: ChangeHandler<T>, change: Change<T>) => {
    try {
      // A handler declared async is a `void` function to the type checker; its rejection must not end the process.
      const returned: unknown = handler(change);
      if (returned instanceof Promise) returned.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
  const tellAll = (changes: readonly Change<T>[]) => {
    for (const change of changes) for (const handler of [...handlers]) tell(handler, change);
  };
  const cache = new ObjectCache<T>(options.indexers ?? {});

  async function resync(signal: AbortSignal): Promise<void> {
    const { resyncMs } = options;
    while (resyncMs !== undefined && !signal.aborted) {
      await clock.sleep(resyncMs, signal).catch(() => {});
      if (!signal.aborted) tellAll(cache.list().map((object) => ({ type: 'updated', object, previous: object })));
    }
  }

  const sink = {
    replace: (items: T[]) => {
      tellAll(cache.replace(items));
      hasSynced = true;
      synced.resolve();
    },
    apply: (event: { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: T }) => tellAll(cache.apply(event)),
  };
  const onError = (error: unknown) => {
    interruptions += 1;
    options.onError?.(error);
  };

  return {
    run: async (signal) => {
      await Promise.all([reflect({ ...options, onError }, sink, signal), resync(signal)]);
    },
    get hasSynced() {
      return hasSynced;
    },
    synced: (signal) => orAborted(synced.promise, signal),
    get: (key) => cache.get(key),
    list: () => cache.list(),
    byIndex: (index, value) => cache.byIndex(index, value),
    onChange: (handler) => {
      handlers.add(handler);
      for (const object of cache.list()) tell(handler, { type: 'added', object });
      return () => handlers.delete(handler);
    },
    stats: () => ({ objects: cache.size, interruptions, handlerErrors }),
  };
}
