import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
} from '@lateen/api-types';
import { isNotFound, type KubeApi, readObject } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { cacheClaimName } from '../specs/cache-volume.ts';
import { belongsTo, deleteIfThere, deleteOwned } from './owned-object.ts';

/**
 * Deletes the owner's hosting pod, then its claim; the volume goes with the claim, also when its class would keep it.
 * `keepVolume` leaves the volume's reclaim policy alone. Returns the claim, if there was one.
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
  return deleteClaim(kube, claim, owner, { ...options, signal });
}

/** Deletes the cache's claim and its volume; of no effect when there is none. */
export async function cleanUpCache(kube: KubeApi, owner: ExposeOwner, signal: AbortSignal): Promise<void> {
  const key = { namespace: owner.namespace, name: cacheClaimName(owner) };
  const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
  await deleteClaim(kube, claim, owner, { keepVolume: false, signal });
}

async function deleteClaim(
  kube: KubeApi,
  claim: PersistentVolumeClaim | undefined,
  owner: ExposeOwner,
  { keepVolume, signal }: { keepVolume: boolean; signal: AbortSignal },
): Promise<PersistentVolumeClaim | undefined> {
  if (claim === undefined || !belongsTo(claim, owner)) return undefined;
  if (!keepVolume) await letVolumeGo(kube, claim, signal);
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
