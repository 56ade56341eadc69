import type { DataDownload, DataMovementPhase, DataUpload, PodVolumeBackup, PodVolumeRestore } from '@lateen/api-types';
import { builtMetadata, type ObjectParts, withStatus } from './built-object.ts';

interface DataMovementParts<T extends { spec: object; status?: object }> extends ObjectParts {
  phase?: DataMovementPhase;
  /** status.node: the node where the transfer runs. */
  node?: string;
  acceptedByNode?: string;
  cancel?: boolean;
  spec?: Partial<T['spec']>;
  status?: Partial<NonNullable<T['status']>>;
}

/** A DataUpload of snapshot `snapshot` of claim `data` in namespace `app`; without a phase it is new. */
export function aDataUpload(parts: DataMovementParts<DataUpload> = {}): DataUpload {
  const { phase, node, acceptedByNode, cancel } = parts;
  const upload: DataUpload = {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataUpload',
    metadata: builtMetadata('DataUpload', { name: 'upload', namespace: 'velero' }, parts),
    spec: {
      snapshotType: 'CSI',
      csiSnapshot: {
        volumeSnapshot: 'snapshot',
        storageClass: 'lateen',
        snapshotClass: 'lateen',
        driver: 'csi.lateen.dev',
      },
      sourcePVC: 'data',
      sourceNamespace: 'app',
      backupStorageLocation: 'default',
      operationTimeout: '10m0s',
      ...(cancel === undefined ? {} : { cancel }),
      ...parts.spec,
    },
  };
  return withStatus(upload, { phase, node, acceptedByNode, ...parts.status });
}

/** A DataDownload of snapshot `snapshot-id` into claim `data` in namespace `app`; without a phase it is new. */
export function aDataDownload(parts: DataMovementParts<DataDownload> = {}): DataDownload {
  const { phase, node, acceptedByNode, cancel } = parts;
  const download: DataDownload = {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataDownload',
    metadata: builtMetadata('DataDownload', { name: 'download', namespace: 'velero' }, parts),
    spec: {
      targetVolume: { pvc: 'data', pv: '', namespace: 'app' },
      backupStorageLocation: 'default',
      snapshotID: 'snapshot-id',
      sourceNamespace: 'app',
      operationTimeout: '10m0s',
      ...(cancel === undefined ? {} : { cancel }),
      ...parts.spec,
    },
  };
  return withStatus(download, { phase, node, acceptedByNode, ...parts.status });
}

const clientPod = { kind: 'Pod', namespace: 'app', name: 'db', uid: 'pod-app-db' };

/** A PodVolumeBackup of volume `data` of pod `app/db` on `node-1`; without a phase it is new. */
export function aPodVolumeBackup(
  parts: Omit<DataMovementParts<PodVolumeBackup>, 'node' | 'acceptedByNode'> = {},
): PodVolumeBackup {
  const { phase, cancel } = parts;
  const backup: PodVolumeBackup = {
    apiVersion: 'velero.io/v1',
    kind: 'PodVolumeBackup',
    metadata: builtMetadata('PodVolumeBackup', { name: 'backup', namespace: 'velero' }, parts),
    spec: {
      node: 'node-1',
      pod: clientPod,
      volume: 'data',
      backupStorageLocation: 'default',
      repoIdentifier: '',
      uploaderType: 'kopia',
      ...(cancel === undefined ? {} : { cancel }),
      ...parts.spec,
    },
  };
  return withStatus(backup, { phase, ...parts.status });
}

/** A PodVolumeRestore of snapshot `snapshot-id` into volume `data` of pod `app/db`, for Restore `restore-uid`; without a phase it is new. */
export function aPodVolumeRestore(
  parts: Omit<DataMovementParts<PodVolumeRestore>, 'acceptedByNode'> = {},
): PodVolumeRestore {
  const { phase, node, cancel } = parts;
  const restore: PodVolumeRestore = {
    apiVersion: 'velero.io/v1',
    kind: 'PodVolumeRestore',
    metadata: {
      ownerReferences: [{ apiVersion: 'velero.io/v1', kind: 'Restore', name: 'restore', uid: 'restore-uid' }],
      ...builtMetadata('PodVolumeRestore', { name: 'restore', namespace: 'velero' }, parts),
    },
    spec: {
      pod: clientPod,
      volume: 'data',
      backupStorageLocation: 'default',
      repoIdentifier: '',
      uploaderType: 'kopia',
      snapshotID: 'snapshot-id',
      sourceNamespace: 'app',
      ...(cancel === undefined ? {} : { cancel }),
      ...parts.spec,
    },
  };
  return withStatus(restore, { phase, node, ...parts.status });
}
