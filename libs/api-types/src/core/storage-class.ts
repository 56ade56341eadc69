import type { KubeObject } from '../meta/kube-object.ts';
import { coreType } from './core-type.ts';
import type { ReclaimPolicy } from './persistent-volume.ts';

export interface StorageClass extends KubeObject {
  provisioner: string;
  parameters?: Record<string, string>;
  reclaimPolicy?: ReclaimPolicy;
  volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
  allowVolumeExpansion?: boolean;
  mountOptions?: string[];
}

export const storageClassType = coreType<StorageClass>('storage.k8s.io/v1', 'StorageClass', 'storageclasses', false);
