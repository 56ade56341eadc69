import { type PersistentVolume, persistentVolumeClaimType, persistentVolumeType } from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, type ObjectKey, readObject, retryOnConflict } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { isBinding, isHandedOver, isTakenBack, patchAsRead } from './marked-volumes.ts';
import { takeBackPatch } from './rebind-patches.ts';

/**
 * Ends a canceled rebinding, while the binder or another process may still work on it. Afterwards either the volume belongs to
 * the target claim, and is returned, or nothing can be bound to it any more, and it may be deleted. When the binder has started,
 * this waits until it is done: it may write the claim at any moment, and no write of ours could stop that. Safe to repeat. On
 * abort the outcome is unknown.
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
