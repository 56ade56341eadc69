import type { KubeObject, ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, retryOnConflict } from '@lateen/kube';
import { findObject } from '../noun/find-objects.ts';
import type { Noun } from '../noun/noun.ts';

/** Where an object is, and who asks. */
export interface StoragePlace {
  readonly kube: KubeApi;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * Changes an object as it is read: what is decided about it holds for what is written, since the write is guarded by its resourceVersion and
 * the decision is made again when somebody else was faster. `change` throws to refuse and returns undefined when it is so already.
 * @throws the noun's code when it is not there; KUBE_CONFLICT after many in a row; what `change` throws
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

/** What the checks of the volume manager have against it, as an error. @throws AppError STORAGE_REFUSED */
export function unlessRefused(...refusals: readonly (string | undefined)[]): void {
  const refusal = refusals.find((each) => each !== undefined);
  if (refusal !== undefined) throw new AppError('STORAGE_REFUSED', refusal);
}
