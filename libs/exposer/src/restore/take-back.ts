import { type PersistentVolume, persistentVolumeClaimType, persistentVolumeType } from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, type ObjectKey, readObject, retryOnConflict } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { isBinding, isHandedOver, isTakenBack, patchAsRead } from './marked-volumes.ts';
import { takeBackPatch } from './rebind-patches.ts';

/**
 * Settles a rebinding that shall not go on, while the binder or another process may be at it: afterwards either the volume is
 * the target claim's, and is returned, or nothing can be bound to it any more, and it may be deleted. A binder that has begun
 * is left to end: it may write the claim at any moment, and no write of ours could stop that. Safe to repeat. On abort:
 * settled or not.
 */
export async function takeBack(
  kube: KubeApi,
  owner: ExposeOwner,
  target: ObjectKey,
  marked: PersistentVolume,
  signal: AbortSignal,
): Promise<PersistentVolume | undefined> {
  try {
    return await retryOnConflict(async () => {
      const volume = await readObject(kube, persistentVolumeType, keyOf(marked), signal);
      if (volume === undefined || isHandedOver(volume, owner)) return volume;
      const claim = await readObject(kube, persistentVolumeClaimType, target, signal);
      if (claim !== undefined && isBinding(volume, claim)) return volume;
      if (!isTakenBack(volume, owner)) await patchAsRead(kube, volume, takeBackPatch(volume, owner), signal);
      return undefined;
    });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
