import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';
import { snapshotGroup } from './volume-snapshot.ts';
import type { SnapshotDeletionPolicy } from './volume-snapshot-content.ts';

export interface VolumeSnapshotClass extends KubeObject {
  driver: string;
  deletionPolicy: SnapshotDeletionPolicy;
  parameters?: Record<string, string>;
}

export const volumeSnapshotClassType = coreType<VolumeSnapshotClass>(
  `${snapshotGroup}/v1`,
  'VolumeSnapshotClass',
  'volumesnapshotclasses',
  false,
);
