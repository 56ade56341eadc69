import type { KubeObject, ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText, type Logger, type Random, silentLogger } from '@lateen/kernel';
import { type KubeApi, keyOf, keyText } from '@lateen/kube';
import { waitForObject } from './wait-for-object.ts';

export interface WaitGonePorts {
  kube: KubeApi;
  clock: Clock;
  random: Random;
  log?: Logger;
}

/** Waits, by watch, until this very object is gone. @throws STILL_THERE after `timeoutMs`, naming its finalizers */
export async function waitGone<T extends KubeObject>(
  { kube, clock, random, log = silentLogger }: WaitGonePorts,
  type: ResourceType<T>,
  object: T,
  options: { timeoutMs: number; signal: AbortSignal },
): Promise<void> {
  const deadline = clock.deadline(options.timeoutMs);
  let last: T | undefined = object;
  try {
    await waitForObject({
      api: kube,
      type,
      key: keyOf(object),
      clock,
      random,
      log,
      signal: AbortSignal.any([options.signal, deadline]),
      until: (seen) => {
        last = seen;
        return seen === undefined || seen.metadata.uid !== object.metadata.uid ? true : undefined;
      },
    });
  } catch (error) {
    if (!deadline.aborted || options.signal.aborted) throw error;
    const held = last?.metadata.finalizers?.join(', ');
    throw new AppError(
      'STILL_THERE',
      `${type.kind} ${keyText(keyOf(object))} is still there ${durationText(options.timeoutMs)} after its deletion`,
      {
        nextStep:
          held === undefined ? 'Check its Events.' : `It waits for: ${held}. Check the controller that removes that.`,
      },
    );
  }
}
