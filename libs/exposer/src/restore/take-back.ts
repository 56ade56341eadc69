import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, type ObjectKey, readObject, retryOnConflict } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { isHandedOver, isNamed, isOffered, isTakenBack, patchAsRead } from './marked-volumes.ts';
import { offerPatch, takeBackPatch } from './rebind-patches.ts';

/**
 * Settles a rebinding that shall not go on, while the binder or another process may be at it: afterwards either the target
 * claim has the volume for good, which is returned, or nothing can be bound to it any more, and it may be deleted. The binder
 * writes a volume before its claim, so a claim that does not name the volume once that has been taken back never will.
 * Safe to repeat. On abort: settled or not.
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
      const claim = await claimThatHas(kube, target, volume, signal);
      if (claim !== undefined) return await keepOffered(kube, volume, claim, signal);
      const taken = isTakenBack(volume, owner)
        ? volume
        : await patchAsRead(kube, volume, takeBackPatch(volume, owner), signal);
      const late = await claimThatHas(kube, target, taken, signal);
      return late === undefined ? undefined : await keepOffered(kube, taken, late, signal);
    });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function claimThatHas(
  kube: KubeApi,
  target: ObjectKey,
  volume: PersistentVolume,
  signal: AbortSignal,
): Promise<PersistentVolumeClaim | undefined> {
  const claim = await readObject(kube, persistentVolumeClaimType, target, signal);
  return claim !== undefined && isNamed(volume, claim) ? claim : undefined;
}

async function keepOffered(
  kube: KubeApi,
  volume: PersistentVolume,
  claim: PersistentVolumeClaim,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  return isOffered(volume, claim) ? volume : await patchAsRead(kube, volume, offerPatch(volume, claim), signal);
}
