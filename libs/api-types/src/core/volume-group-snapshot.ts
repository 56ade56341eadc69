import type { KubeObject } from '../meta/kube-object.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import type { ObjectReference } from '../meta/object-reference.ts';
import type { Int64, Timestamp } from '../meta/scalars.ts';
import { coreType } from './core-type.ts';
import type { SnapshotError } from './volume-snapshot.ts';
import type { SnapshotDeletionPolicy } from './volume-snapshot-content.ts';

const groupVersion = 'groupsnapshot.storage.k8s.io/v1beta2';

/** Snapshots of several claims at one point in time. Its VolumeSnapshots name it as their owner. */
export interface VolumeGroupSnapshot extends KubeObject {
  spec: {
    /** One of the two: the claims of the namespace with these labels, or content that exists already. */
    source: { selector?: LabelSelector; volumeGroupSnapshotContentName?: string };
    volumeGroupSnapshotClassName?: string;
  };
  status?: {
    boundVolumeGroupSnapshotContentName?: string;
    creationTime?: Timestamp;
    /** All snapshots of the group are. */
    readyToUse?: boolean;
    error?: SnapshotError;
    [field: string]: unknown;
  };
}

export const volumeGroupSnapshotType = coreType<VolumeGroupSnapshot>(
  groupVersion,
  'VolumeGroupSnapshot',
  'volumegroupsnapshots',
);

export interface VolumeGroupSnapshotContent extends KubeObject {
  spec: {
    deletionPolicy: SnapshotDeletionPolicy;
    driver: string;
    source: {
      volumeHandles?: string[];
      groupSnapshotHandles?: { volumeGroupSnapshotHandle: string; volumeSnapshotHandles: string[] };
    };
    volumeGroupSnapshotRef: ObjectReference;
    volumeGroupSnapshotClassName?: string;
    [field: string]: unknown;
  };
  status?: {
    volumeGroupSnapshotHandle?: string;
    readyToUse?: boolean;
    volumeSnapshotInfoList?: {
      volumeHandle?: string;
      snapshotHandle?: string;
      creationTime?: Int64;
      readyToUse?: boolean;
      restoreSize?: Int64;
    }[];
    error?: SnapshotError;
    [field: string]: unknown;
  };
}

export const volumeGroupSnapshotContentType = coreType<VolumeGroupSnapshotContent>(
  groupVersion,
  'VolumeGroupSnapshotContent',
  'volumegroupsnapshotcontents',
  false,
);

export interface VolumeGroupSnapshotClass extends KubeObject {
  driver: string;
  deletionPolicy: SnapshotDeletionPolicy;
  parameters?: Record<string, string>;
}

export const volumeGroupSnapshotClassType = coreType<VolumeGroupSnapshotClass>(
  groupVersion,
  'VolumeGroupSnapshotClass',
  'volumegroupsnapshotclasses',
  false,
);
