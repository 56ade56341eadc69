import type { KubeObject } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { coreType } from './core-type.ts';

/** API group of the external snapshotter. */
export const snapshotGroup = 'snapshot.storage.k8s.io';

export interface VolumeSnapshot extends KubeObject {
  spec: {
    /** One of the two: a claim to take the snapshot of, or content that exists already. */
    source: { persistentVolumeClaimName?: string; volumeSnapshotContentName?: string };
    volumeSnapshotClassName?: string;
  };
  status?: {
    boundVolumeSnapshotContentName?: string;
    readyToUse?: boolean;
    /** A quantity. */
    restoreSize?: string;
    creationTime?: Timestamp;
    error?: SnapshotError;
    [field: string]: unknown;
  };
}

/** What the snapshotter reports when a snapshot cannot be made. */
export interface SnapshotError {
  message?: string;
  time?: Timestamp;
}

export const volumeSnapshotType = coreType<VolumeSnapshot>(`${snapshotGroup}/v1`, 'VolumeSnapshot', 'volumesnapshots');
