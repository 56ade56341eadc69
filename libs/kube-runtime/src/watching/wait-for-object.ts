import type { KubeObject, ResourceType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { type Clock, type Logger, type Random, silentLogger, systemRandom } from '@lateen/kernel';
import { type KubeApi, type ObjectKey, requireKey } from '@lateen/kube';
import { reflect } from './reflect.ts';

export interface WaitForObjectOptions<T extends KubeObject, R> {
  api: KubeApi;
  type: ResourceType<T>;
  key: ObjectKey;
  /** Looks at the object (undefined: it does not exist). Anything but undefined ends the wait; throwing fails it. */
  until: (object: T | undefined) => R | undefined;
  signal: AbortSignal;
  clock: Clock;
  random?: Random;
  log?: Logger;
}

/**
 * Waits until one object is as wanted, without polling: a list and a watch with `metadata.name` as field selector (the
 * caller needs the verbs `list` and `watch`). Lives through ends of the watch, lost connections, throttling and 410.
 * @throws what `until` throws; the signal's reason when it aborts; at once what nothing can mend (`retry: 'never'`), as
 * KUBE_BAD_REQUEST for a key that no object can have
 */
export async function waitForObject<T extends KubeObject, R>(options: WaitForObjectOptions<T, R>): Promise<R> {
  const { api, type, key, until, signal, clock } = options;
  signal.throwIfAborted();
  requireKey('wait for', type, key);
  const watching = new AbortController();
  const onAbort = () => watching.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let end: { value: R } | { error: unknown } | undefined;
  const finish = (result: { value: R } | { error: unknown }) => {
    end ??= result;
    watching.abort();
  };
  const look = (object: T | undefined) => {
    if (end !== undefined) return;
    try {
      const value = until(object);
      if (value !== undefined) finish({ value });
    } catch (error) {
      finish({ error });
    }
  };
  try {
    await reflect(
      {
        api,
        type,
        namespace: key.namespace,
        fieldSelector: `metadata.name=${key.name}`,
        clock,
        random: options.random ?? systemRandom,
        log: (options.log ?? silentLogger).child({ name: key.name }),
        transform: (object) => object,
        onError: (error) => {
          if (isAppError(error) && error.retry === 'never') finish({ error });
        },
      },
      {
        replace: (items) => look(items[0]),
        apply: (event) => look(event.type === 'DELETED' ? undefined : event.object),
      },
      watching.signal,
    );
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  if (end === undefined) throw signal.reason;
  if ('error' in end) throw end.error;
  return end.value;
}
