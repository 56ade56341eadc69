import type { KubeObject } from '../meta/kube-object.ts';
import type { ObjectReference } from '../meta/object-reference.ts';
import type { Int64 } from '../meta/scalars.ts';
import { coreType } from './core-type.ts';
import { type SnapshotError, snapshotGroup } from './volume-snapshot.ts';

export type SnapshotDeletionPolicy = 'Delete' | 'Retain';

export interface VolumeSnapshotContent extends KubeObject {
  spec: {
    deletionPolicy: SnapshotDeletionPolicy;
    driver: string;
    /** One of the two: a volume to take the snapshot of, or a snapshot that exists already. */
    source: { volumeHandle?: string; snapshotHandle?: string };
    volumeSnapshotRef: ObjectReference;
    volumeSnapshotClassName?: string;
    sourceVolumeMode?: string;
    [field: string]: unknown;
  };
  status?: {
    snapshotHandle?: string;
    readyToUse?: boolean;
    /** Bytes. */
    restoreSize?: Int64;
    /** Nanoseconds since 1970. */
    creationTime?: Int64;
    error?: SnapshotError;
    [field: string]: unknown;
  };
}

export const volumeSnapshotContentType = coreType<VolumeSnapshotContent>(
  `${snapshotGroup}/v1`,
  'VolumeSnapshotContent',
  'volumesnapshotcontents',
  false,
);
