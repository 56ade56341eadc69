import type { KubeObject, ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, retryOnConflict } from '@lateen/kube';
import { findObject } from '../noun/find-objects.ts';
import type { Noun } from '../noun/noun.ts';

/** Where an object is, and the client and signal of the caller. */
export interface StoragePlace {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * Changes an object after reading it. The write is guarded by the resourceVersion that was read, and after a conflict `change` is called
 * again with the new state. `change` throws to refuse, and returns undefined when nothing has to change.
 * @throws the noun's code when the object does not exist; KUBE_CONFLICT after many in a row; what `change` throws
 */
export async function changeObject<T extends KubeObject>(
  { kube, namespace, signal }: StoragePlace,
  noun: Noun<T>,
  name: string,
  change: (object: T) => T | undefined | Promise<T | undefined>,
): Promise<{ object: T; changed: boolean }> {
  const type: ResourceType<T> = noun.type;
  return await retryOnConflict(async () => {
    const before = await findObject(kube, noun, { namespace, name }, signal);
    const after = await change(before);
    if (after === undefined) return { object: before, changed: false };
    return { object: await kube.update(type, after, { signal }), changed: true };
  });
}

/** Turns refusals of the volume manager's checks into an error. @throws AppError STORAGE_REFUSED */
export function unlessRefused(...refusals: readonly (string | undefined)[]): void {
  const refusal = refusals.find((each) => each !== undefined);
  if (refusal !== undefined) throw new AppError('STORAGE_REFUSED', refusal);
}
