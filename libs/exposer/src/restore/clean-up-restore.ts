import { type PersistentVolume, persistentVolumeType } from '@lateen/api-types';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { cleanUpHosting } from '../api/clean-up-hosting.ts';
import { deleteIfThere } from '../api/owned-object.ts';
import type { ExposeOptions, ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { volumesMarkedFor } from './marked-volumes.ts';

/**
 * Deletes what a restore has left: the pod, the restore claim with its volume, and a volume whose handing over was
 * broken off. A volume that has been handed over carries no mark any more and is never touched. Safe to repeat. On
 * abort: stops between deletes and leaves the rest for the next call.
 */
export async function cleanUpRestore(
  { kube }: ExposerPorts,
  owner: ExposeOwner,
  { signal }: ExposeOptions,
): Promise<void> {
  const [marked] = await Promise.all([volumesMarkedFor(kube, owner, signal), cleanUpHosting(kube, owner, signal)]);
  for (const volume of marked) await deleteWithData(kube, volume, signal);
}

async function deleteWithData(kube: KubeApi, volume: PersistentVolume, signal: AbortSignal): Promise<void> {
  const key = { name: volume.metadata.name ?? '' };
  const body = { spec: { persistentVolumeReclaimPolicy: 'Delete' } };
  try {
    await kube.patch(persistentVolumeType, key, { type: 'merge', body }, { signal });
  } catch (error) {
    if (isNotFound(error)) return;
    throw error;
  }
  await deleteIfThere(kube, persistentVolumeType, volume, signal);
}
