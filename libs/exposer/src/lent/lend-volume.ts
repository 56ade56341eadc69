import {
  type PersistentVolume,
  type PersistentVolumeClaim,
  persistentVolumeClaimType,
  persistentVolumeType,
} from '@lateen/api-types';
import { deleteIfThere, isAlreadyExists, type KubeApi, keyOf, readObject } from '@lateen/kube';
import { createOwned } from '../api/owned-object.ts';
import type { Leftover } from '../api/take-away-all.ts';
import type { ExposerPorts } from '../exposer-ports.ts';
import type { ExposeOwner } from '../owner.ts';
import { claimOnCopy, isLentTo, lentName, volumeCopy } from './volume-copy.ts';
import { waitLentBound } from './wait-lent-bound.ts';

/**
 * Lends a volume to the hosting pod while its claim keeps it: makes a second PersistentVolume object for it, and a claim on that
 * with the owner's name. The original claim and its PersistentVolume are not changed. Resolves when the new claim is bound. Safe
 * to repeat.
 * @throws EXPOSE_NAME_TAKEN, EXPOSE_CLAIM_GONE, EXPOSE_CLAIM_LOST; the signal's reason
 */
export async function lendVolume(
  ports: ExposerPorts,
  owner: ExposeOwner,
  { claim: source, volume }: { claim: PersistentVolumeClaim; volume: PersistentVolume },
  signal: AbortSignal,
): Promise<void> {
  const copy = await createCopy(ports.kube, owner, volume, signal);
  const claim = claimOnCopy(owner, source, copy);
  await createOwned(ports.kube, persistentVolumeClaimType, claim, owner, signal);
  await waitLentBound(ports, keyOf(claim), signal);
}

/** Deletes the second object. Its reclaim policy is Retain, so the volume and its data stay. */
export function lentLeftover(kube: KubeApi, owner: ExposeOwner, signal: AbortSignal): Leftover {
  return {
    what: 'the copy of the volume object',
    takeAway: async () => {
      const copy = await readObject(kube, persistentVolumeType, { name: lentName(owner) }, signal);
      if (copy !== undefined && isLentTo(copy, owner)) await deleteIfThere(kube, persistentVolumeType, copy, signal);
    },
  };
}

/** Makes the copy of the volume object, or takes that of an earlier attempt. */
async function createCopy(
  kube: KubeApi,
  owner: ExposeOwner,
  volume: PersistentVolume,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  try {
    return await kube.create(persistentVolumeType, volumeCopy(owner, volume), { signal });
  } catch (error) {
    const name = lentName(owner);
    const present = isAlreadyExists(error) ? await readObject(kube, persistentVolumeType, { name }, signal) : undefined;
    if (present === undefined || !isLentTo(present, owner)) throw error;
    return present;
  }
}
