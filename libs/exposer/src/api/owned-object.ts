import type { KubeObject, ResourceType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { deleteIfThere, isAlreadyExists, type KubeApi, keyOf, keyText, type ObjectKey, readObject } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { exposedForLabel } from '../specs/exposed-for.ts';

/** True when the object was made for this owner (and not for an earlier one of the same name). */
export function belongsTo(object: KubeObject, owner: ExposeOwner): boolean {
  const byReference = object.metadata.ownerReferences?.some((reference) => reference.uid === owner.uid) ?? false;
  return byReference || object.metadata.labels?.[exposedForLabel] === owner.uid;
}

/**
 * Creates the object, or takes the one that an earlier attempt made. Safe to repeat.
 * @throws EXPOSE_NAME_TAKEN when another object has that name; EXPOSE_BEING_DELETED when our earlier object is being deleted
 */
export async function createOwned<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  object: NoInfer<T>,
  owner: ExposeOwner,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await kube.create(type, object, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const key = keyOf(object);
    const existing = await readObject(kube, type, key, signal);
    const isOurs = existing !== undefined && belongsTo(existing, owner);
    if (isOurs && existing.metadata.deletionTimestamp === undefined) return existing;
    if (isOurs || existing === undefined) {
      const message = `the earlier ${type.kind} ${keyText(key)} is being deleted`;
      throw new AppError('EXPOSE_BEING_DELETED', message, { cause: error, retry: 'soon' });
    }
    throw new AppError(
      'EXPOSE_NAME_TAKEN',
      `${type.kind} ${keyText(key)} exists and does not belong to this ${owner.kind}`,
      {
        cause: error,
        nextStep: `Delete or rename it, then start a new ${owner.kind}.`,
      },
    );
  }
}

/** Deletes the object if it belongs to the owner; returns what was deleted. Another owner's object is not touched. */
export async function deleteOwned<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  key: ObjectKey,
  owner: ExposeOwner,
  signal: AbortSignal,
): Promise<T | undefined> {
  const object = await readObject(kube, type, key, signal);
  if (object === undefined || !belongsTo(object, owner)) return undefined;
  await deleteIfThere(kube, type, object, signal);
  return object;
}
