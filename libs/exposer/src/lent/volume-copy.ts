import { labels, type PersistentVolume, type PersistentVolumeClaim, pickKeys } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import { restoreVolumeClaim } from '../specs/restore-volume.ts';

/** A copy of a volume object never takes the data along: it retains, and no provisioner knows it as its own. */
export const isLent = ({ metadata }: PersistentVolume): boolean => metadata.labels?.[labels.lentTo] !== undefined;

export const isLentTo = ({ metadata }: PersistentVolume, owner: ExposeOwner): boolean =>
  metadata.labels?.[labels.lentTo] === owner.uid;

/** An older way to say how the kubelet mounts the volume. */
const keptAnnotations = ['volume.beta.kubernetes.io/mount-options'];

/** Of the copy, which is the only one for this owner. */
export const lentName = (owner: ExposeOwner): string => `lateen-${owner.uid}`;

/**
 * A second object for the volume of somebody else's claim, by which the hosting pod reaches it: the claim, and the object that it is bound
 * to, stay as they are. Without those annotations of the original by which a provisioner would delete the volume with it.
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
 * The claim of the hosting pod, on the copy. What the volume binder compares is taken from the volume: the other claim may say something
 * else by now, such as a size that the volume shall have, and one without a class would be given the default one.
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
