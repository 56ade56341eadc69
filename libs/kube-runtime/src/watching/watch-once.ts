import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { Clock, Random } from '@lateen/kernel';
import { groupResourceText, type KubeApi, kubeError, type WatchEvent } from '@lateen/kube';

export interface WatchOnceOptions<T extends KubeObject> {
  api: KubeApi;
  type: ResourceType<T>;
  namespace?: string | undefined;
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  clock: Clock;
  random: Random;
}

/** Watches end after 5 to 10 minutes, at random, so that not all clients of a server reconnect together. */
const timeoutSecondsMin = 300;
const timeoutSecondsSpread = 300;

/** A server that has not ended the watch so long after its timeout is gone (half-open connection). */
const overdueMs = 30_000;

/**
 * One watch from `resourceVersion` to its end.
 * @throws KUBE_UNAVAILABLE when the server does not end it in time; what KubeApi.watch throws
 */
export async function* watchOnce<T extends KubeObject>(
  options: WatchOnceOptions<T>,
  resourceVersion: string,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent<T>, void, void> {
  const { api, type, namespace, labelSelector, fieldSelector, clock, random } = options;
  const timeoutSeconds = timeoutSecondsMin + Math.floor(random.next() * timeoutSecondsSpread);
  const watch = new AbortController();
  const onAbort = () => watch.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const overdue = clock.sleep(timeoutSeconds * 1000 + overdueMs, watch.signal).then(
    () => watch.abort(kubeError('KUBE_UNAVAILABLE', `the watch of ${groupResourceText(type)} did not end in time`)),
    () => {},
  );
  try {
    yield* api.watch(type, {
      namespace,
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      resourceVersion,
      timeoutSeconds,
      signal: watch.signal,
    });
  } finally {
    signal.removeEventListener('abort', onAbort);
    watch.abort();
    await overdue;
  }
}
