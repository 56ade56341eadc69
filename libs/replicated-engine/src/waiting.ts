import type { KubeObject, ResourceType } from '@lateen/api-types';
import { type BlockVolumeErrorCode, blockVolumeError, type Call } from '@lateen/block-engine';
import { durationText } from '@lateen/kernel';
import { waitForObject } from '@lateen/kube-runtime';
import type { EngineDeps } from './engine-deps.ts';

export interface Wait<T extends KubeObject, R> {
  type: ResourceType<T>;
  name: string;
  /** What is waited for, as the end of "after 60 s": `volume v is not attached to n`. */
  what: string;
  limitMs: number;
  /** Anything but undefined ends the wait. `because` tells why not yet; the last word of it is in the error. */
  until: (object: T | undefined, because: (cause: string) => void) => R | undefined;
  /** Of the error when the time is over. Default `NOT_POSSIBLE_NOW`. */
  code?: () => BlockVolumeErrorCode;
  nextStep: string;
}

/**
 * Waits for one object to be as wanted, not longer than its limit.
 * @throws `code` with what is waited for and its last known cause; what `until` throws; the reason of an abort
 */
export async function waiting<T extends KubeObject, R>(deps: EngineDeps, o: Call, wait: Wait<T, R>): Promise<R> {
  const { kube: api, namespace, clock, random, log } = deps;
  const limit = clock.deadline(wait.limitMs);
  let cause = '';
  const because = (text: string): void => {
    cause = text;
  };
  try {
    return await waitForObject({
      api,
      type: wait.type,
      key: { namespace, name: wait.name },
      until: (object) => wait.until(object, because),
      signal: AbortSignal.any([o.signal, limit]),
      clock,
      random,
      log,
    });
  } catch (error) {
    o.signal.throwIfAborted();
    if (error !== limit.reason) throw error;
    const why = cause === '' ? '' : `: ${cause}`;
    const message = `${wait.what} after ${durationText(wait.limitMs)}${why}`;
    throw blockVolumeError(wait.code?.() ?? 'NOT_POSSIBLE_NOW', message, { nextStep: wait.nextStep });
  }
}
