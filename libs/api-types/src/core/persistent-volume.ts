import type { KubeObject } from '../meta/kube-object.ts';
import type { ObjectReference } from '../meta/object-reference.ts';
import { coreType } from './core-type.ts';
import type { AccessMode, VolumeMode } from './persistent-volume-claim.ts';
import type { NodeSelector } from './scheduling.ts';

export interface PersistentVolume extends KubeObject {
  spec: PersistentVolumeSpec;
  status?: PersistentVolumeStatus;
}

export type ReclaimPolicy = 'Delete' | 'Retain' | 'Recycle';

export interface PersistentVolumeSpec {
  capacity?: Record<string, string>;
  accessModes?: AccessMode[];
  volumeMode?: VolumeMode;
  storageClassName?: string;
  persistentVolumeReclaimPolicy?: ReclaimPolicy;
  claimRef?: ObjectReference;
  csi?: {
    driver: string;
    volumeHandle: string;
    fsType?: string;
    readOnly?: boolean;
    volumeAttributes?: Record<string, string>;
    [field: string]: unknown;
  };
  nodeAffinity?: { required?: NodeSelector };
  mountOptions?: string[];
  [field: string]: unknown;
}

export interface PersistentVolumeStatus {
  phase?: 'Pending' | 'Available' | 'Bound' | 'Released' | 'Failed';
  reason?: string;
  message?: string;
  [field: string]: unknown;
}

export const persistentVolumeType = coreType<PersistentVolume>('v1', 'PersistentVolume', 'persistentvolumes', false);
