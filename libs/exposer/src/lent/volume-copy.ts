import { labels, type PersistentVolume, type PersistentVolumeClaim, pickKeys } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import { restoreVolumeClaim } from '../specs/restore-volume.ts';

/** Deleting a copy of a volume object never deletes the data: its policy is Retain, and no provisioner treats it as its own. */
export const isLent = ({ metadata }: PersistentVolume): boolean => metadata.labels?.[labels.lentTo] !== undefined;

export const isLentTo = ({ metadata }: PersistentVolume, owner: ExposeOwner): boolean =>
  metadata.labels?.[labels.lentTo] === owner.uid;

/** The older form of the mount options for the kubelet. */
const keptAnnotations = ['volume.beta.kubernetes.io/mount-options'];

/** Name of the copy, which is the only one for this owner. */
export const lentName = (owner: ExposeOwner): string => `lateen-${owner.uid}`;

/**
 * A second object for the volume of another claim, through which the hosting pod reaches it: that claim and its PersistentVolume
 * stay as they are. The copy lacks those annotations of the original by which a provisioner would delete the volume.
 */
export function volumeCopy(owner: ExposeOwner, { metadata, spec }: PersistentVolume): PersistentVolume {
  const { claimRef: _, ...kept } = spec;
  const annotations = pickKeys(metadata.annotations, keptAnnotations);
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: lentName(owner),
      labels: { [labels.lentTo]: owner.uid },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
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

/**
 * The hosting pod's claim on the copy. The fields that the volume binder compares come from the volume: the other claim may
 * differ by now, for example request a larger size, and a claim without a class would get the default class.
 */
export function claimOnCopy(
  owner: ExposeOwner,
  target: PersistentVolumeClaim,
  { metadata, spec }: PersistentVolume,
): PersistentVolumeClaim {
  const claim = restoreVolumeClaim(owner, target, undefined);
  const { resources: _, volumeAttributesClassName: __, ...kept } = claim.spec;
  const storage = spec.capacity?.storage;
  const { volumeAttributesClassName } = spec as { volumeAttributesClassName?: string };
  return {
    ...claim,
    spec: {
      ...kept,
      volumeName: metadata.name ?? '',
      storageClassName: spec.storageClassName ?? '',
      ...(storage === undefined ? {} : { resources: { requests: { storage } } }),
      ...(volumeAttributesClassName === undefined ? {} : { volumeAttributesClassName }),
    },
  };
}
