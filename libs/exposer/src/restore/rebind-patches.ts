import { annotations, type PersistentVolume, type PersistentVolumeClaim } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import { exposedForLabel, reclaimPolicyAnnotation } from '../specs/exposed-for.ts';

/** A merge patch of a volume. */
export interface VolumePatch {
  metadata?: object;
  spec?: object;
}

/** Keeps the volume when its claim is deleted, and marks it so that the next process finds it after a crash. */
export function retainPatch(owner: ExposeOwner, volume: PersistentVolume): VolumePatch {
  return {
    metadata: {
      labels: { [exposedForLabel]: owner.uid },
      annotations: { [reclaimPolicyAnnotation]: volume.spec.persistentVolumeReclaimPolicy ?? 'Delete' },
    },
    spec: { persistentVolumeReclaimPolicy: 'Retain' },
  };
}

/**
 * Offers the volume to the target claim as a provisioner offers a new one: with the claim's UID, so that the binder processes the
 * claim at once and the volume is deleted with the claim.
 */
export function offerPatch(volume: PersistentVolume, target: PersistentVolumeClaim): VolumePatch {
  const { namespace = '', name = '', uid = '' } = target.metadata;
  return {
    metadata: {
      annotations: { [annotations.boundByController]: null },
      ...(target.spec.selector?.matchLabels === undefined ? {} : { labels: target.spec.selector.matchLabels }),
    },
    spec: { claimRef: referTo(volume, { namespace, name, uid }) },
  };
}

/** Withdraws the volume from the claim to which it is offered. */
export function takeBackPatch(volume: PersistentVolume, { namespace, name, uid }: ExposeOwner): VolumePatch {
  return { spec: { claimRef: referTo(volume, { namespace, name, uid }) } };
}

/**
 * Restores the volume's own reclaim policy; from now on the volume belongs to the target claim. Only for a volume that is Bound:
 * a provisioner deletes one that is Released. The mark stays until the end is recorded, so that after a restart before that, the
 * next process knows that nothing is left to do.
 */
export function releasePatch(volume: PersistentVolume): VolumePatch {
  return {
    metadata: { annotations: { [reclaimPolicyAnnotation]: null } },
    spec: { persistentVolumeReclaimPolicy: volume.metadata.annotations?.[reclaimPolicyAnnotation] ?? 'Delete' },
  };
}

export const unmarkPatch: VolumePatch = { metadata: { labels: { [exposedForLabel]: null } } };

/** A claim reference that keeps no field of the previous one. */
function referTo(volume: PersistentVolume, claim: { namespace: string; name: string; uid: string }): object {
  const cleared = Object.fromEntries(Object.keys(volume.spec.claimRef ?? {}).map((field) => [field, null]));
  return { ...cleared, apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim };
}
