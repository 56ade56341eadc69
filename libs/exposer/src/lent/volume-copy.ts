import { labels, type PersistentVolume, type PersistentVolumeClaim } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import { restoreVolumeClaim } from '../specs/restore-volume.ts';

/** A copy of a volume object never takes the data along: it retains, and no provisioner knows it as its own. */
export const isLent = ({ metadata }: PersistentVolume): boolean => metadata.labels?.[labels.lentTo] !== undefined;

export const isLentTo = ({ metadata }: PersistentVolume, owner: ExposeOwner): boolean =>
  metadata.labels?.[labels.lentTo] === owner.uid;

/** Of the copy, which is the only one for this owner. */
export const lentName = (owner: ExposeOwner): string => `lateen-${owner.uid}`;

/**
 * A second object for the volume of somebody else's claim, by which the hosting pod reaches it: the claim, and the object that it is bound
 * to, stay as they are. Without the annotations of the original, by which a provisioner would delete the volume with it.
 */
export function volumeCopy(owner: ExposeOwner, { spec }: PersistentVolume): PersistentVolume {
  const { claimRef: _, ...kept } = spec;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: lentName(owner), labels: { [labels.lentTo]: owner.uid } },
    spec: {
      ...kept,
      persistentVolumeReclaimPolicy: 'Retain',
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: owner.namespace,
        name: owner.name,
      },
    },
  };
}

/** The claim of the hosting pod, on the copy. */
export function claimOnCopy(
  owner: ExposeOwner,
  target: PersistentVolumeClaim,
  copy: PersistentVolume,
): PersistentVolumeClaim {
  const claim = restoreVolumeClaim(owner, target, undefined);
  return { ...claim, spec: { ...claim.spec, volumeName: copy.metadata.name ?? '' } };
}
