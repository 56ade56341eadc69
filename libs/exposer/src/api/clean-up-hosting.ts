import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
} from '@lateen/api-types';
import { isNotFound, type KubeApi, readObject } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { belongsTo, deleteIfThere, deleteOwned } from './owned-object.ts';

/**
 * Deletes the owner's hosting pod, then its claim; the volume goes with the claim, also when its class would keep it.
 * `keepVolume` leaves the volume's reclaim policy alone.
 */
export async function cleanUpHosting(
  kube: KubeApi,
  owner: ExposeOwner,
  signal: AbortSignal,
  options: { keepVolume: boolean } = { keepVolume: false },
): Promise<PersistentVolumeClaim | undefined> {
  const key = { namespace: owner.namespace, name: owner.name };
  const [claim] = await Promise.all([
    readObject(kube, persistentVolumeClaimType, key, signal),
    deleteOwned(kube, podType, key, owner, signal),
  ]);
  if (claim === undefined || !belongsTo(claim, owner)) return undefined;
  if (!options.keepVolume) await letVolumeGo(kube, claim, signal);
  await deleteIfThere(kube, persistentVolumeClaimType, claim, signal);
  return claim;
}

/** A class with reclaim policy Retain would leave the volume behind; nobody but us knows about it. */
async function letVolumeGo(kube: KubeApi, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
  const name = claim.spec.volumeName;
  if (name === undefined || name === '') return;
  const volume = await readObject(kube, persistentVolumeType, { name }, signal);
  if (volume === undefined || volume.spec.persistentVolumeReclaimPolicy === 'Delete') return;
  if (volume.spec.claimRef?.uid !== claim.metadata.uid) return;
  const body = { spec: { persistentVolumeReclaimPolicy: 'Delete' } };
  try {
    await kube.patch(persistentVolumeType, { name }, { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
