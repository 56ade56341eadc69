import { ownerReferenceTo } from '@lateen/kube';
import {
  longhornFinalizer,
  longhornGroup,
  longhornVersion,
  storageAnnotations,
  storageLabels,
  type Volume,
  type VolumeAttachmentObject,
} from '@lateen/storage-types';
import { madeAsOf, type VolumeSeen } from '@lateen/volume-decisions';

/** The format of our annotations that this version writes and reads. */
const formatVersion = 1;

/** What a volume needs before any other decision. */
export type Adoption =
  /** The finalizer, so that nothing of it is left behind, the format of the annotations, and for which object replicas are made. */
  | { readonly do: 'adopt'; readonly madeAs: string }
  | { readonly do: 'create-attachment'; readonly object: VolumeAttachmentObject };

const formatOf = ({ metadata }: Volume): number => Number(metadata.annotations?.[storageAnnotations.format] ?? 0);

/** A later version of the manager has written annotations that this one does not know. */
export const isOfLaterFormat = (volume: Volume): boolean => !(formatOf(volume) <= formatVersion);

export function adoption({ volume, replicas, hasAttachment }: VolumeSeen): Adoption[] {
  const { finalizers = [], deletionTimestamp, annotations = {} } = volume.metadata;
  if (deletionTimestamp !== undefined) return [];
  const madeAs = madeAsOf(volume, replicas);
  const isAdopted =
    finalizers.includes(longhornFinalizer) &&
    formatOf(volume) === formatVersion &&
    annotations[storageAnnotations.madeAs] === madeAs;
  return [
    ...(isAdopted ? [] : [{ do: 'adopt', madeAs } as const]),
    ...(hasAttachment ? [] : [{ do: 'create-attachment', object: newAttachment(volume) } as const]),
  ];
}

export function adopted(volume: Volume, madeAs: string): Volume {
  const { finalizers = [], annotations } = volume.metadata;
  const metadata = {
    ...volume.metadata,
    finalizers: finalizers.includes(longhornFinalizer) ? finalizers : [...finalizers, longhornFinalizer],
    annotations: {
      ...annotations,
      [storageAnnotations.format]: String(formatVersion),
      [storageAnnotations.madeAs]: madeAs,
    },
  };
  return { ...volume, metadata };
}

/** Deleted with its volume; it needs no cleanup. */
function newAttachment(volume: Volume): VolumeAttachmentObject {
  const { name = '', namespace } = volume.metadata;
  return {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: 'VolumeAttachment',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { [storageLabels.volume]: name },
      ownerReferences: [ownerReferenceTo(volume)],
    },
    spec: { volume: name, attachmentTickets: {} },
  };
}
