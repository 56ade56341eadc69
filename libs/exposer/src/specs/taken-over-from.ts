import type { KubeObject, VolumeSnapshot, VolumeSnapshotContent } from '@lateen/api-types';
import type { ExposeOwner } from '../owner.ts';
import {
  takenOverContentUidAnnotation,
  takenOverFromAnnotation,
  takenOverSnapshotUidAnnotation,
  takenOverVolumeHandleAnnotation,
} from './exposed-for.ts';

/** A snapshot of a workload, with its content. */
export interface SourceSnapshot {
  snapshot: VolumeSnapshot;
  content: VolumeSnapshotContent;
}

/** Where a snapshot was taken over from. The uids are not known of what a version before this one has taken over. */
export interface TakenOverFrom {
  content: string;
  contentUid: string | undefined;
  snapshotUid: string | undefined;
  /** Of the volume that was snapshotted, as the driver calls it. */
  volumeHandle: string | undefined;
}

export const takenOverFrom = ({ snapshot, content }: SourceSnapshot): TakenOverFrom => ({
  content: content.metadata.name ?? '',
  contentUid: content.metadata.uid,
  snapshotUid: snapshot.metadata.uid,
  volumeHandle: content.spec.source.volumeHandle,
});

export function takenOverAnnotations({
  content,
  contentUid,
  snapshotUid,
  volumeHandle,
}: TakenOverFrom): Record<string, string> {
  return {
    [takenOverFromAnnotation]: content,
    ...(contentUid === undefined ? {} : { [takenOverContentUidAnnotation]: contentUid }),
    ...(snapshotUid === undefined ? {} : { [takenOverSnapshotUidAnnotation]: snapshotUid }),
    ...(volumeHandle === undefined ? {} : { [takenOverVolumeHandleAnnotation]: volumeHandle }),
  };
}

/** What our content says; undefined when there is none, or it says nothing. */
export function readTakenOverFrom(ours: VolumeSnapshotContent | undefined): TakenOverFrom | undefined {
  const noted = ours?.metadata.annotations ?? {};
  const content = noted[takenOverFromAnnotation];
  if (content === undefined) return undefined;
  return {
    content,
    contentUid: noted[takenOverContentUidAnnotation],
    snapshotUid: noted[takenOverSnapshotUidAnnotation],
    volumeHandle: noted[takenOverVolumeHandleAnnotation],
  };
}

/**
 * True when an object that has the source's name is the source: by its uid, or, when that is not known, by its age. A
 * snapshot is made before its upload; one of that name that is younger was made by somebody else for something else.
 */
export function isSource({ metadata }: KubeObject, uid: string | undefined, owner: ExposeOwner): boolean {
  if (uid !== undefined) return metadata.uid === uid;
  return !(Date.parse(metadata.creationTimestamp ?? '') > Date.parse(owner.createdAt ?? ''));
}
