import type { KubeObject } from '@lateen/api-types';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { keyOf, keyText, type ObjectKey } from '@lateen/kube';
import type { Informer } from '../watching/informer.ts';
import type { Change } from '../watching/object-cache.ts';
import type { Reconciler } from './outcome.ts';
import { type ControllerMetrics, runController } from './run-controller.ts';
import { type WorkQueue, type WorkQueueLimits, type WorkQueueMetrics, workQueue } from './work-queue.ts';

/** What every controller of a process is built with. */
export interface ControllerBase {
  clock: Clock;
  random: Random;
  log: Logger;
  /** Told what queues and controllers do, each under its controller's name. Must not throw. */
  metrics?: (ControllerMetrics & WorkQueueMetrics) | undefined;
}

/** Other objects whose changes wake keys; made with {@link watches}. */
export interface Watch {
  readonly informer: Pick<Informer<KubeObject>, 'synced'>;
  feed(queue: WorkQueue): void;
}

export interface ControllerSpec<T extends KubeObject, R extends Reconciler = Reconciler> {
  /** `data-upload`: in log lines and metrics. */
  name: string;
  /** Its objects are worked on: each change of one wakes its key. Whoever builds the controller runs the informer. */
  for: Pick<Informer<T>, 'synced' | 'onChange'>;
  /** Which changes of `for` wake the object's key; all when absent. */
  wakes?: (change: Change<T>) => boolean;
  watches?: readonly Watch[];
  /** Gets the queue, for what else wakes a key: a place that is free again, a Secret that has changed. */
  reconciler: (queue: WorkQueue) => R;
  /** Keys worked on at the same time. Default 1. */
  workers?: number;
  limits?: Partial<WorkQueueLimits>;
}

export interface Controller<R extends Reconciler = Reconciler> {
  readonly queue: WorkQueue;
  readonly reconciler: R;
  /**
   * Waits until everything it watches has been seen once, since an object not yet seen would look like one that is
   * missing; then works until `signal` aborts. Resolves when the last reconciliation has ended. Call once.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** One controller: what it works on, what wakes a key, and who works on it. */
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
      // Only an abort ends the wait without a sync.
      if (!isSynced) return;
      log.debug({ controller: name }, 'what the controller watches has been seen once');
      for (const watch of [own, ...others]) watch.feed(queue);
      const options = { name, queue, reconciler, workers, clock, log, signal };
      await runController({ ...options, ...(metrics === undefined ? {} : { metrics }) });
    },
  };
}

/** Wakes the keys that `keysOf` finds for each change; objects that exist already count as added. */
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
