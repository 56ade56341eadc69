import { annotations, type PersistentVolume, type PersistentVolumeClaim } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { keyOf, keyText } from '@lateen/kube';
import type { ExposeOwner } from '../owner.ts';
import { exposedForLabel, reclaimPolicyAnnotation } from '../specs/exposed-for.ts';

/** Keeps the volume when its claim goes, and marks it so that a restart in the middle finds it again. */
export function retainPatch(owner: ExposeOwner, volume: PersistentVolume): object {
  const policy = volume.metadata.annotations?.[reclaimPolicyAnnotation] ?? volume.spec.persistentVolumeReclaimPolicy;
  return {
    metadata: {
      labels: { [exposedForLabel]: owner.uid },
      annotations: { [reclaimPolicyAnnotation]: policy ?? 'Delete' },
    },
    spec: { persistentVolumeReclaimPolicy: 'Retain' },
  };
}

/** Points the target claim at the volume; the binder then completes the rest. @throws EXPOSE_TARGET_BOUND */
export function targetPatch(target: PersistentVolumeClaim, volumeName: string): object {
  const bound = target.spec.volumeName ?? '';
  if (bound !== '' && bound !== volumeName) {
    throw new AppError(
      'EXPOSE_TARGET_BOUND',
      `Target PVC ${keyText(keyOf(target))} has been bound to ${bound} meanwhile`,
    );
  }
  return {
    metadata: { annotations: { [annotations.bindCompleted]: null, [annotations.boundByController]: null } },
    spec: { volumeName },
  };
}

/** Points the volume at the target claim: kind, namespace and name only, so that the binder fills in the rest. */
export function volumePatch(volume: PersistentVolume, target: PersistentVolumeClaim): object {
  const cleared = Object.fromEntries(Object.keys(volume.spec.claimRef ?? {}).map((field) => [field, null]));
  return {
    metadata: {
      annotations: { [annotations.boundByController]: null },
      ...(target.spec.selector?.matchLabels === undefined ? {} : { labels: target.spec.selector.matchLabels }),
    },
    spec: { claimRef: { ...cleared, kind: 'PersistentVolumeClaim', ...keyOf(target) } },
  };
}

/**
 * Gives the volume its own reclaim policy back; from now on it is the target claim's. The mark stays until the end is
 * recorded, so that a restart before that knows that there is nothing left to do.
 */
export function releasePatch(volume: PersistentVolume): object {
  return {
    metadata: { annotations: { [reclaimPolicyAnnotation]: null } },
    spec: { persistentVolumeReclaimPolicy: volume.metadata.annotations?.[reclaimPolicyAnnotation] ?? 'Delete' },
  };
}

/** True when the volume is the target's: bound to it or waiting for nothing but the binder. */
export function isPointedAt(volume: PersistentVolume, target: { namespace: string; name: string }): boolean {
  const reference = volume.spec.claimRef;
  return reference?.namespace === target.namespace && reference.name === target.name;
}

/** True when a marked volume has been handed over for good. */
export function isHandedOver(volume: PersistentVolume, owner: ExposeOwner): boolean {
  const { labels, annotations: noted } = volume.metadata;
  return labels?.[exposedForLabel] === owner.uid && noted?.[reclaimPolicyAnnotation] === undefined;
}

export const unmarkPatch: object = { metadata: { labels: { [exposedForLabel]: null } } };
