import { type PersistentVolume, persistentVolumeType } from '@lateen/api-types';
import { deleteIfThere, isNotFound, type KubeApi, keyOf } from '@lateen/kube';
import { cacheLeftover, hostingLeftovers } from '../api/clean-up-hosting.ts';
import { copiedLeftovers } from '../api/copied-objects.ts';
import { takeAwayAll } from '../api/take-away-all.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import { lentLeftover } from '../lent/lend-volume.ts';
import type { ExposeOwner } from '../owner.ts';
import { type RestoreExposeParam, targetKeyOf } from './expose-restore.ts';
import { isHandedOver, volumesMarkedFor } from './marked-volumes.ts';
import { releasePatch, unmarkPatch, type VolumePatch } from './rebind-patches.ts';
import { takeBack } from './take-back.ts';

/**
 * Deletes what a restore has left: the pod, the restore claim with its volume, the cache's claim, and a volume whose handover was
 * interrupted. A volume that the target claim has is kept, and only its mark is removed. Safe to repeat. On abort: stops between
 * deletes and leaves the rest for the next call.
 * @throws CLEAN_UP_INCOMPLETE when every delete has been tried and some failed
 */
export async function cleanUpRestore(
  { kube, settings = {} }: ExposerPorts,
  owner: ExposeOwner,
  param: RestoreExposeParam,
  { signal }: ExposeOptions,
): Promise<void> {
  const leftovers = [
    ...hostingLeftovers(kube, owner, signal),
    cacheLeftover(kube, owner, signal),
    lentLeftover(kube, owner, signal),
    { what: 'the restored volume', takeAway: () => cleanUpMarked(kube, owner, param, signal) },
    ...copiedLeftovers(kube, owner, settings.restorePVC ?? {}, signal),
  ];
  await takeAwayAll(owner, leftovers, signal);
}

async function cleanUpMarked(
  kube: KubeApi,
  owner: ExposeOwner,
  param: RestoreExposeParam,
  signal: AbortSignal,
): Promise<void> {
  for (const volume of await volumesMarkedFor(kube, owner, signal)) {
    const kept = await takeBack(kube, owner, targetKeyOf(param), volume, signal);
    if (kept === undefined) await deleteWithData(kube, volume, signal);
    else await letGo(kube, owner, kept, signal);
  }
}

/** The target claim has the volume: restores its own reclaim policy, if that has not happened yet, and removes the mark. */
async function letGo(kube: KubeApi, owner: ExposeOwner, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
  const released: VolumePatch = isHandedOver(volume, owner) ? {} : releasePatch(volume);
  const metadata = { ...released.metadata, ...unmarkPatch.metadata };
  await patchIfThere(kube, volume, { ...released, metadata }, signal);
}

async function deleteWithData(kube: KubeApi, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
  const there = await patchIfThere(kube, volume, { spec: { persistentVolumeReclaimPolicy: 'Delete' } }, signal);
  if (there) await deleteIfThere(kube, persistentVolumeType, volume, signal);
}

/** False when the volume is gone. */
async function patchIfThere(
  kube: KubeApi,
  volume: PersistentVolume,
  body: VolumePatch,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await kube.patch(persistentVolumeType, keyOf(volume), { type: 'merge', body }, { signal });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}
