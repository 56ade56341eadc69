import type { KubeObject, ResourceType } from '@lateen/api-types';
import { type BackoffLimits, backoffMs, type Clock, type Logger, type Random } from '@lateen/kernel';
import {
  groupResourceText,
  isGone,
  isIdleEnd,
  type KubeApi,
  listAll,
  retryAfterMsOf,
  type WatchEvent,
} from '@lateen/kube';
import { watchOnce } from './watch-once.ts';

/** Receives the state of the watched objects. Must not throw. */
export interface ReflectorSink<T> {
  /** All objects that exist now; any other object was deleted. */
  replace(items: T[]): void;
  apply(event: Exclude<WatchEvent<T & KubeObject>, { type: 'BOOKMARK' }>): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  api: KubeApi;
  type: ResourceType<T>;
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Changes an object before it is stored; may modify its argument. Default: drops metadata.managedFields. */
  transform?: ((object: T) => T) | undefined;
  /** Called for each failed list or watch, before the delay. */
  onError?: ((error: unknown) => void) | undefined;
  limits?: Partial<ReflectorLimits> | undefined;
}

export interface ReflectorLimits {
  /** Delay between a failed list or watch and the next attempt. */
  backoff: BackoffLimits;
  /** A watch that lasted so long counts as successful; a shorter one counts as failed, whatever it delivered. */
  healthyMs: number;
  /** Limit of the delay that a server may ask for. */
  retryAfterMaxMs: number;
}

/** A watch that ends at once, again and again, is retried at most each 30 s; it never loops. */
export const reflectorLimits: ReflectorLimits = {
  backoff: { firstMs: 200, maxMs: 30_000, factor: 2, jitter: 0.2 },
  healthyMs: 10_000,
  retryAfterMaxMs: 120_000,
};

/**
 * Keeps `sink` equal to the API server's state: lists, then watches from there, without end. A broken watch continues from the last version seen; 410
 * (as status or as event) lists again. After a failure, which is logged, it waits for the backoff or as long as the server asks. Resolves when
 * `signal` aborts.
 */
export async function reflect<T extends KubeObject>(
  options: ReflectorOptions<T>,
  sink: ReflectorSink<T>,
  signal: AbortSignal,
): Promise<void> {
  const limits = { ...reflectorLimits, ...options.limits };
  const { clock, random } = options;
  const log = options.log.child({ resource: groupResourceText(options.type) });
  let version: string | undefined;
  let failures = 0;
  while (!signal.aborted) {
    let startedMs = clock.monotonicMs();
    let error: unknown;
    try {
      if (version === undefined) {
        version = await listInto(options, sink, signal);
        startedMs = clock.monotonicMs();
      }
      for await (const event of watchOnce(options, version, signal)) {
        version =
          event.type === 'BOOKMARK' ? event.resourceVersion : (event.object.metadata.resourceVersion ?? version);
        if (event.type !== 'BOOKMARK') sink.apply({ ...event, object: transformed(options, event.object) });
      }
    } catch (caught) {
      error = caught;
    }
    if (signal.aborted) return;
    if (isGone(error)) version = undefined;
    const healthy = clock.monotonicMs() - startedMs >= limits.healthyMs;
    if (healthy) failures = 0;
    if (healthy && error === undefined) continue;
    failures += 1;
    const waitMs = Math.max(
      backoffMs(failures, limits.backoff, random),
      Math.min(retryAfterMsOf(error) ?? 0, limits.retryAfterMaxMs),
    );
    if (error !== undefined) {
      options.onError?.(error);
      const level = isIdleEnd(error) ? 'debug' : 'warn';
      log[level]({ err: error, failures, waitMs, relist: version === undefined }, 'watching was interrupted');
    }
    await clock.sleep(waitMs, signal).catch(() => {});
  }
}

async function listInto<T extends KubeObject>(
  options: ReflectorOptions<T>,
  sink: ReflectorSink<T>,
  signal: AbortSignal,
): Promise<string> {
  const { api, type, namespace, labelSelector, fieldSelector } = options;
  const selection = {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
  const list = await listAll(api, type, { namespace, ...selection, signal }, (object) => transformed(options, object));
  sink.replace(list.items);
  return list.resourceVersion;
}

function transformed<T extends KubeObject>(options: ReflectorOptions<T>, object: T): T {
  return (options.transform ?? dropManagedFields)(object);
}

/** Managed fields are often half of an object, and no controller reads them. */
export function dropManagedFields<T extends KubeObject>(object: T): T {
  delete object.metadata.managedFields;
  return object;
}
