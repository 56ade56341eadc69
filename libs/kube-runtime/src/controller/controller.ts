import type { KubeObject } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { keyOf, keyText, type ObjectKey } from '@lateen/kube';
import type { Informer } from '../watching/informer.ts';
import type { Change } from '../watching/object-cache.ts';
import type { Reconciler } from './outcome.ts';
import { type ControllerMetrics, runController } from './run-controller.ts';
import { type WorkQueue, type WorkQueueLimits, type WorkQueueMetrics, workQueue } from './work-queue.ts';

/** What every controller of a process needs. */
export interface ControllerBase {
  clock: Clock;
  random: Random;
  log: Logger;
  /** Receives the metrics of queues and controllers, each under its controller's name. Must not throw. */
  metrics?: (ControllerMetrics & WorkQueueMetrics) | undefined;
}

/** Other objects whose changes queue keys; made with {@link watches}. */
export interface Watch {
  readonly informer: Pick<Informer<KubeObject>, 'synced'>;
  feed(queue: WorkQueue): void;
}

export interface ControllerSpec<T extends KubeObject, R extends Reconciler = Reconciler> {
  /** Name in log lines and metrics, for example `data-upload`. */
  name: string;
  /** The objects that it works on: each change queues the object's key. The creator of the controller runs the informer. */
  for: Pick<Informer<T>, 'synced' | 'onChange'>;
  /** Which changes of `for` queue the object's key; all when absent. */
  wakes?: (change: Change<T>) => boolean;
  watches?: readonly Watch[];
  /** Gets the queue, for other reasons to queue a key: a released place, a changed Secret. */
  reconciler: (queue: WorkQueue) => R;
  /** Keys worked on at the same time. Default 1. */
  workers?: number;
  limits?: Partial<WorkQueueLimits>;
}

export interface Controller<R extends Reconciler = Reconciler> {
  readonly queue: WorkQueue;
  readonly reconciler: R;
  /**
   * Waits until all its caches are filled, because an object that has not been seen yet would look like a missing one; then works until `signal`
   * aborts. Resolves when the last reconciliation has ended. Call once.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** One controller: its objects, its watches, and its reconciler. */
export function controller<T extends KubeObject, R extends Reconciler>(
  base: ControllerBase,
  spec: ControllerSpec<T, R>,
): Controller<R> {
  const { clock, random, log, metrics } = base;
  const { name, limits } = spec;
  const queue = workQueue({
    name,
    clock,
    random,
    ...(limits === undefined ? {} : { limits }),
    ...(metrics === undefined ? {} : { metrics }),
  });
  const reconciler = spec.reconciler(queue);
  const others = spec.watches ?? [];
  const own = watches(spec.for, (change) => (spec.wakes?.(change) === false ? [] : [keyOf(change.object)]));
  const workers = spec.workers ?? 1;
  return {
    queue,
    reconciler,
    run: async (signal) => {
      const synced = [own, ...others].map(({ informer }) => informer.synced(signal));
      const isSynced = await Promise.all(synced).then(
        () => true,
        () => false,
      );
      // The wait ends without a sync only on an abort.
      if (!isSynced) return;
      log.debug({ controller: name }, 'what the controller watches has been seen once');
      for (const watch of [own, ...others]) watch.feed(queue);
      const options = { name, queue, reconciler, workers, clock, log, signal };
      await runController({ ...options, ...(metrics === undefined ? {} : { metrics }) });
    },
  };
}

/** Queues the keys that `keysOf` returns for each change; existing objects count as added. */
export function watches<T extends KubeObject>(
  informer: Pick<Informer<T>, 'synced' | 'onChange'>,
  keysOf: (change: Change<T>) => readonly ObjectKey[],
): Watch {
  return {
    informer,
    feed: (queue) => {
      informer.onChange((change) => {
        for (const key of keysOf(change)) queue.add(keyText(key));
      });
    },
  };
}
