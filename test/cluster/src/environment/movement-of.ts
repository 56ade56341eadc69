import {
  type DataDownload,
  type DataUpload,
  dataDownloadType,
  dataUploadType,
  isTerminalPhase,
} from '@lateen/api-types';
import { systemClock } from '@lateen/kernel';
import { type KubeApi, keyOf, type ResourceType } from '@lateen/kube';
import { waitForObject } from '@lateen/kube-runtime';

/** Long enough for a hosting pod to start, fail and be cleaned up; a bad input must end well before that. */
const endMsMax = 120_000;

export function aDataUpload(namespace: string, name: string, spec: Partial<DataUpload['spec']>): DataUpload {
  return {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataUpload',
    metadata: { namespace, name },
    spec: {
      snapshotType: 'CSI',
      csiSnapshot: {
        volumeSnapshot: 'snapshot',
        storageClass: 'lateen',
        snapshotClass: 'lateen',
        driver: 'csi.lateen.dev',
      },
      sourcePVC: 'data',
      sourceNamespace: 'default',
      backupStorageLocation: 'default',
      operationTimeout: '30s',
      ...spec,
    },
  };
}

export function aDataDownload(namespace: string, name: string, spec: Partial<DataDownload['spec']>): DataDownload {
  return {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataDownload',
    metadata: { namespace, name },
    spec: {
      targetVolume: { pvc: 'data', pv: '', namespace: 'default' },
      backupStorageLocation: 'default',
      snapshotID: '0123456789abcdef0123456789abcdef',
      sourceNamespace: 'default',
      operationTimeout: '30s',
      ...spec,
    },
  };
}

export const createUpload = (kube: KubeApi, object: DataUpload): Promise<DataUpload> =>
  endOf(kube, dataUploadType, object);
export const createDownload = (kube: KubeApi, object: DataDownload): Promise<DataDownload> =>
  endOf(kube, dataDownloadType, object);

/** Creates a movement, waits for its end, and deletes it. Resolves with its last state. */
async function endOf<T extends DataUpload | DataDownload>(kube: KubeApi, type: ResourceType<T>, object: T): Promise<T> {
  const created = await kube.create<T>(type, object);
  try {
    return await waitForObject<T, T>({
      api: kube,
      type,
      key: keyOf(created),
      clock: systemClock,
      signal: systemClock.deadline(endMsMax),
      until: (seen) => (seen !== undefined && isTerminalPhase(seen.status?.phase) ? seen : undefined),
    });
  } finally {
    await kube.delete(type, keyOf(created));
  }
}
