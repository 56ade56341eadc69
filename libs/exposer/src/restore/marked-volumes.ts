import { type PersistentVolume, type PersistentVolumeClaim, persistentVolumeType } from '@lateen/api-types';
import { type KubeApi, keyOf } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { exposedForLabel, reclaimPolicyAnnotation } from '../specs/exposed-for.ts';
import type { VolumePatch } from './rebind-patches.ts';

/*
 * The volume alone records how far a rebinding is, and each step writes the volume in the version that was read: of two
 * processes with different aims, one gets a conflict. The states of the volume are
 *   marked       it refers to the restore claim as before, and is kept when that claim is deleted
 *   offered      it refers to the target claim, and the binder may start to bind the two
 *   binding      the binder has started: it has set the volume to Bound, and may write its name into the claim at any moment
 *   taken back   it refers to its owner's UID, which no claim has: nothing can be bound to it any more
 *   handed over  the claim has it, and it has its own reclaim policy again
 */

/** The volumes that a rebinding for this owner has marked: one or none. */
export async function volumesMarkedFor(
  kube: KubeApi,
  owner: ExposeOwner,
  signal: AbortSignal,
): Promise<PersistentVolume[]> {
  const { items } = await kube.list(persistentVolumeType, { labelSelector: `${exposedForLabel}=${owner.uid}`, signal });
  return items;
}

export function isMarked({ metadata }: PersistentVolume, owner: ExposeOwner): boolean {
  return metadata.labels?.[exposedForLabel] === owner.uid;
}

export function isOffered({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  return spec.claimRef?.uid !== undefined && spec.claimRef.uid === metadata.uid;
}

/** False for a claim that is gone, replaced, or bound to another volume: none of these can be undone. */
export function isBinding(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const isFree = (claim.spec.volumeName ?? '') === '' || isNamed(volume, claim);
  return isOffered(volume, claim) && volume.status?.phase === 'Bound' && isFree;
}

export function isTakenBack({ spec }: PersistentVolume, owner: ExposeOwner): boolean {
  return spec.claimRef?.uid === owner.uid;
}

export function isHandedOver(volume: PersistentVolume, owner: ExposeOwner): boolean {
  return isMarked(volume, owner) && volume.metadata.annotations?.[reclaimPolicyAnnotation] === undefined;
}

/** The binder writes the volume's name into the claim when it has bound them, and never removes it. */
export function isNamed(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return claim.spec.volumeName === volume.metadata.name;
}

/** Patches the volume in the version that was read. @throws KUBE_CONFLICT when it has changed since, KUBE_NOT_FOUND */
export async function patchAsRead(
  kube: KubeApi,
  volume: PersistentVolume,
  body: VolumePatch,
  signal: AbortSignal,
): Promise<PersistentVolume> {
  const metadata = { ...body.metadata, resourceVersion: volume.metadata.resourceVersion };
  const guarded = { ...body, metadata };
  return await kube.patch(persistentVolumeType, keyOf(volume), { type: 'merge', body: guarded }, { signal });
}
