import type { KubeObject, ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyOf, keyText } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { ExposerPorts } from '../exposer-ports.ts';

/** Waits until this very object is gone. @throws EXPOSE_STILL_THERE after `timeoutMs`, naming its finalizers */
export async function waitGone<T extends KubeObject>(
  { kube, clock, random, log }: ExposerPorts,
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
      'EXPOSE_STILL_THERE',
      `${type.kind} ${keyText(keyOf(object))} is still there ${options.timeoutMs / 1000} s after its deletion`,
      {
        nextStep:
          held === undefined ? 'Look at its events.' : `It waits for: ${held}. Check the controller that removes that.`,
      },
    );
  }
}
