import {
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
  podType,
} from '@lateen/api-types';
import { isConflict, isNotFound, type KubeApi, type ObjectKey, readObject } from '@lateen/kube';
import { isLent } from '../lent/volume-copy.ts';
import type { ExposeOwner } from '../owner.ts';
import { cacheClaimName } from '../specs/cache-volume.ts';
import { belongsTo, deleteOwned } from './owned-object.ts';
import type { Leftover } from './take-away-all.ts';

/**
 * Deletes the owner's hosting pod, then its claim. With `keepVolume` the volume's reclaim policy stays as it is. Returns the
 * claim, if there was one.
 */
export async function cleanUpHosting(
  kube: KubeApi,
  owner: ExposeOwner,
  signal: AbortSignal,
  options: { keepVolume: true },
): Promise<PersistentVolumeClaim | undefined> {
  const key = { namespace: owner.namespace, name: owner.name };
  await deleteOwned(kube, podType, key, owner, signal);
  return await deleteClaim(kube, key, owner, { ...options, signal });
}

/** The owner's hosting pod, then its claim; the volume is deleted with the claim, also when its class retains volumes. */
export function hostingLeftovers(kube: KubeApi, owner: ExposeOwner, signal: AbortSignal): Leftover[] {
  const key = { namespace: owner.namespace, name: owner.name };
  return [
    { what: 'the hosting pod', takeAway: () => deleteOwned(kube, podType, key, owner, signal) },
    { what: 'its claim', takeAway: () => deleteClaim(kube, key, owner, { keepVolume: false, signal }) },
  ];
}

/** The cache's claim and its volume; does nothing when there is none. */
export function cacheLeftover(kube: KubeApi, owner: ExposeOwner, signal: AbortSignal): Leftover {
  const key = { namespace: owner.namespace, name: cacheClaimName(owner) };
  return {
    what: 'the claim of the cache',
    takeAway: () => deleteClaim(kube, key, owner, { keepVolume: false, signal }),
  };
}

/** A claim that is being bound changes a few times; each change costs one more read. */
const looksMax = 10;

/**
 * Deletes the claim in the version that was read, and reads it again when it has changed: it may have got its volume in between,
 * which would stay behind if the class retains volumes.
 */
async function deleteClaim(
  kube: KubeApi,
  key: ObjectKey,
  owner: ExposeOwner,
  { keepVolume, signal }: { keepVolume: boolean; signal: AbortSignal },
): Promise<PersistentVolumeClaim | undefined> {
  for (let look = 1; ; look++) {
    const claim = await readObject(kube, persistentVolumeClaimType, key, signal);
    if (claim === undefined || !belongsTo(claim, owner)) return undefined;
    const { uid = '', resourceVersion = '' } = claim.metadata;
    try {
      if (!keepVolume) await letVolumeGo(kube, claim, signal);
      if (claim.metadata.deletionTimestamp !== undefined) return claim;
      await kube.delete(persistentVolumeClaimType, key, { preconditions: { uid, resourceVersion }, signal });
      return claim;
    } catch (error) {
      if (isNotFound(error)) return claim;
      if (!isConflict(error) || look >= looksMax) throw error;
    }
  }
}

/** A class with reclaim policy Retain would leave the volume behind, and only we know of it. @throws KUBE_CONFLICT */
async function letVolumeGo(kube: KubeApi, claim: PersistentVolumeClaim, signal: AbortSignal): Promise<void> {
  const name = claim.spec.volumeName;
  if (name === undefined || name === '') return;
  const volume = await readObject(kube, persistentVolumeType, { name }, signal);
  // A lent object is only a second one for the volume of another claim.
  if (volume === undefined || isLent(volume) || volume.spec.persistentVolumeReclaimPolicy === 'Delete') return;
  if (volume.spec.claimRef?.uid !== claim.metadata.uid) return;
  const { resourceVersion } = volume.metadata;
  const body = { metadata: { resourceVersion }, spec: { persistentVolumeReclaimPolicy: 'Delete' } };
  try {
    await kube.patch(persistentVolumeType, { name }, { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
