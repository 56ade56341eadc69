import type { KubeObject } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type Clock, durationText, type Random } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';
import type { Noun } from '../noun/noun.ts';

export interface FollowStoragePorts {
  readonly kube: KubeApi;
  readonly clock: Clock;
  readonly random: Random;
}

export interface StorageGoal<T extends KubeObject> {
  /** Checks the object, undefined when it is gone: `done`, or a text about what it waits for. Throws when the goal can no longer be reached. */
  look(object: T | undefined): 'done' | { readonly waits: string };
  /** The goal in words: `volume vol is attached`. */
  readonly goal: string;
  readonly timeoutMs: number;
}

/**
 * Follows one object by a watch until a goal is reached.
 * @param onWait called with each state that it waits in; never after the promise has settled
 * @throws AppError STORAGE_TIMEOUT with what it waited for last; what `look` throws. On abort: rejects with the signal's reason.
 */
export async function followStorage<T extends KubeObject>(
  { kube, clock, random }: FollowStoragePorts,
  noun: Noun<T>,
  key: { namespace: string; name: string },
  { look, goal, timeoutMs }: StorageGoal<T>,
  onWait: (waits: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const deadline = clock.deadline(timeoutMs);
  let last = 'nothing of it has been seen yet';
  try {
    await waitForObject<T, true>({
      api: kube,
      type: noun.type,
      key,
      clock,
      random,
      signal: AbortSignal.any([signal, deadline]),
      until: (object) => {
        const found = look(object);
        if (found === 'done') return true;
        last = found.waits;
        onWait(last);
        return undefined;
      },
    });
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    throw new AppError('STORAGE_TIMEOUT', `${goal}: not within ${durationText(timeoutMs)}; ${last}`);
  }
}
