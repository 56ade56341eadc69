import type { KubeObject, ResourceType } from '@lateen/api-types';
import { type Clock, type Logger, type Random, silentLogger } from '@lateen/kernel';
import { type KubeApi, type ObjectKey, requireKey } from '@lateen/kube';
import { waitForObjects } from './wait-for-objects.ts';

export interface WaitForObjectOptions<T extends KubeObject, R> {
  api: KubeApi;
  type: ResourceType<T>;
  key: ObjectKey;
  /** Checks the object (undefined: it does not exist). Any result but undefined ends the wait; an error fails it. */
  until: (object: T | undefined) => R | undefined;
  signal: AbortSignal;
  clock: Clock;
  random?: Random;
  log?: Logger;
}

/**
 * Waits until one object is in the wanted state, without polling: by a list and a watch with `metadata.name` as field selector (the caller needs the
 * verbs `list` and `watch`). Survives ends of the watch, lost connections, throttling and 410.
 * @throws what `until` throws; the signal's reason when it aborts; at once an error that no retry can correct (`retry: 'never'`), such as
 * KUBE_BAD_REQUEST for an impossible key
 */
export async function waitForObject<T extends KubeObject, R>(options: WaitForObjectOptions<T, R>): Promise<R> {
  const { key, until, log = silentLogger, ...waiting } = options;
  options.signal.throwIfAborted();
  requireKey('wait for', options.type, key);
  return await waitForObjects({
    ...waiting,
    namespace: key.namespace,
    fieldSelector: `metadata.name=${key.name}`,
    log: log.child({ name: key.name }),
    until: ([object]) => until(object),
  });
}
