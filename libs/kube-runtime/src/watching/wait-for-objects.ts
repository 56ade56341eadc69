import type { KubeObject, ResourceType } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { type Clock, type Logger, type Random, silentLogger, systemRandom } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText } from '@lateen/kube';
import { reflect } from './reflect.ts';

export interface WaitForObjectsOptions<T extends KubeObject, R> {
  api: KubeApi;
  type: ResourceType<T>;
  namespace?: string | undefined;
  /** The selectors must match few objects: all of them are held in memory. */
  labelSelector?: string | undefined;
  fieldSelector?: string | undefined;
  /** Checks all existing objects. Any result but undefined ends the wait; an error fails it. */
  until: (objects: readonly T[]) => R | undefined;
  signal: AbortSignal;
  clock: Clock;
  random?: Random;
  log?: Logger;
}

/**
 * Waits until the selected objects are in the wanted state, without polling: by a list and a watch. Survives ends of the watch, lost connections,
 * throttling and 410.
 * @throws what `until` throws; the signal's reason when it aborts; at once an error that no retry can correct (`retry: 'never'`), such as
 * KUBE_NOT_FOUND for a kind that is not served
 */
export async function waitForObjects<T extends KubeObject, R>(options: WaitForObjectsOptions<T, R>): Promise<R> {
  const { until, signal, random = systemRandom, log = silentLogger, ...watched } = options;
  signal.throwIfAborted();
  const watching = new AbortController();
  const onAbort = () => watching.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  let end: { value: R } | { error: unknown } | undefined;
  const finish = (result: { value: R } | { error: unknown }) => {
    end ??= result;
    watching.abort();
  };
  const objects = new Map<string, T>();
  const keep = (object: T) => objects.set(keyText(keyOf(object)), object);
  const look = () => {
    if (end !== undefined) return;
    try {
      const value = until([...objects.values()]);
      if (value !== undefined) finish({ value });
    } catch (error) {
      finish({ error });
    }
  };
  try {
    await reflect(
      {
        ...watched,
        random,
        log,
        transform: (object) => object,
        onError: (error) => {
          if (isAppError(error) && error.retry === 'never') finish({ error });
        },
      },
      {
        replace: (items) => {
          objects.clear();
          items.forEach(keep);
          look();
        },
        apply: ({ type, object }) => {
          if (type === 'DELETED') objects.delete(keyText(keyOf(object)));
          else keep(object);
          look();
        },
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
