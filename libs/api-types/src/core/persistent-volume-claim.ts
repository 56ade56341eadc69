import type { KubeObject } from '../meta/kube-object.ts';
import type { LabelSelector } from '../meta/label-selector.ts';
import type { ResourceRequirements } from './container.ts';
import { coreType } from './core-type.ts';

export type AccessMode = 'ReadWriteOnce' | 'ReadOnlyMany' | 'ReadWriteMany' | 'ReadWriteOncePod';
export type VolumeMode = 'Filesystem' | 'Block';

export interface PersistentVolumeClaim extends KubeObject {
  spec: PersistentVolumeClaimSpec;
  status?: PersistentVolumeClaimStatus;
}

export interface PersistentVolumeClaimSpec {
  accessModes?: AccessMode[];
  resources?: ResourceRequirements;
  /** Absent asks for the default class; an empty string asks for none. */
  storageClassName?: string;
  volumeAttributesClassName?: string;
  volumeMode?: VolumeMode;
  volumeName?: string;
  selector?: LabelSelector;
  /** apiGroup is absent for the core group (another claim). */
  dataSource?: { apiGroup?: string; kind: string; name: string };
  dataSourceRef?: { apiGroup?: string; kind: string; name: string; namespace?: string };
  [field: string]: unknown;
}

export interface PersistentVolumeClaimStatus {
  phase?: 'Pending' | 'Bound' | 'Lost';
  capacity?: Record<string, string>;
  accessModes?: AccessMode[];
  conditions?: { type: string; status: string; reason?: string; message?: string; [field: string]: unknown }[];
  [field: string]: unknown;
}

export const persistentVolumeClaimType = coreType<PersistentVolumeClaim>(
  'v1',
  'PersistentVolumeClaim',
  'persistentvolumeclaims',
);
