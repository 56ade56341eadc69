import type { DataDownload, DataMovementPhase, DataUpload } from '@lateen/api-types';
import { builtMetadata, type ObjectParts, withStatus } from './built-object.ts';

interface DataMovementParts<T extends { spec: object; status?: object }> extends ObjectParts {
  phase?: DataMovementPhase;
  /** status.node: where the transfer runs. */
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
