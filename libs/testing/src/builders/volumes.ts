import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@lateen/api-types';
import { builtMetadata, type ObjectParts, withStatus } from './built-object.ts';

/** The claim `data` in `app`: 1 GiB of class `lateen`; bound when a volume is named. */
export function aPersistentVolumeClaim(
  parts: ObjectParts & {
    /** spec.volumeName; makes the claim Bound. */
    volumeName?: string;
    storage?: string;
    spec?: Partial<PersistentVolumeClaim['spec']>;
    status?: Partial<NonNullable<PersistentVolumeClaim['status']>>;
  } = {},
): PersistentVolumeClaim {
  const storage = parts.storage ?? '1Gi';
  const { volumeName } = parts;
  const claim: PersistentVolumeClaim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: builtMetadata('PersistentVolumeClaim', { name: 'data', namespace: 'app' }, parts),
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage } },
      storageClassName: 'lateen',
      volumeMode: 'Filesystem',
      ...(volumeName === undefined ? {} : { volumeName }),
      ...parts.spec,
    },
  };
  const bound = volumeName === undefined ? { phase: 'Pending' } : { phase: 'Bound', capacity: { storage } };
  return withStatus(claim, { ...bound, ...parts.status });
}

/** A volume of Lateen's CSI driver; bound when a claim is given. */
export function aPersistentVolume(
  parts: ObjectParts & {
    claim?: { namespace: string; name: string; uid?: string };
    spec?: Partial<PersistentVolume['spec']>;
    status?: Partial<NonNullable<PersistentVolume['status']>>;
  } = {},
): PersistentVolume {
  const { claim } = parts;
  const name = parts.name ?? 'pv-data';
  const volume: PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: builtMetadata('PersistentVolume', { name }, parts),
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      storageClassName: 'lateen',
      persistentVolumeReclaimPolicy: 'Delete',
      csi: { driver: 'csi.lateen.dev', volumeHandle: `handle-${name}` },
      ...(claim === undefined ? {} : { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...claim } }),
      ...parts.spec,
    },
  };
  return withStatus(volume, { phase: claim === undefined ? 'Available' : 'Bound', ...parts.status });
}

export function aStorageClass(
  parts: ObjectParts & {
    provisioner?: string;
    parameters?: Record<string, string>;
    volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer';
    reclaimPolicy?: 'Delete' | 'Retain';
  } = {},
): StorageClass {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: builtMetadata('StorageClass', { name: 'lateen' }, parts),
    provisioner: parts.provisioner ?? 'csi.lateen.dev',
    parameters: parts.parameters ?? {},
    reclaimPolicy: parts.reclaimPolicy ?? 'Delete',
    volumeBindingMode: parts.volumeBindingMode ?? 'Immediate',
    allowVolumeExpansion: true,
  };
}
