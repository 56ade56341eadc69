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

/** The source of a snapshot that was taken over. The UIDs are unknown when an earlier version of Lateen took it over. */
export interface TakenOverFrom {
  content: string;
  contentUid: string | undefined;
  snapshotUid: string | undefined;
  /** The driver's handle of the volume that was snapshotted. */
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

/** Reads the annotations of our content; undefined when there is no content, or it has none. */
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
 * True when an object with the source's name is the source: by its UID, or, when that is not known, by its age. A snapshot is
 * made before its upload; a younger one of that name was made by another client for another purpose.
 */
export function isSource({ metadata }: KubeObject, uid: string | undefined, owner: ExposeOwner): boolean {
  if (uid !== undefined) return metadata.uid === uid;
  return !(Date.parse(metadata.creationTimestamp ?? '') > Date.parse(owner.createdAt ?? ''));
}
