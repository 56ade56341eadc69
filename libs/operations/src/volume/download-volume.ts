import { type DataDownload, dataDownloadType, getValidName, labels } from '@lateen/api-types';
import type { DownloadSource } from './download-source.ts';
import { ensureTargetPvc, type TargetOptions } from './ensure-target-pvc.ts';
import { findLocation } from './find-location.ts';
import type { VolumePorts } from './volume-ports.ts';

export interface DownloadVolumeOptions extends TargetOptions {
  source: DownloadSource;
  veleroNamespace: string;
  name?: string | undefined;
  dataMoverConfig: Readonly<Record<string, string>>;
  operationTimeoutMs: number;
}

/** Creates the target PVC if it does not exist, and passes the work to the node-agent as a DataDownload. */
export async function downloadVolume(
  options: DownloadVolumeOptions,
  ports: VolumePorts,
  signal: AbortSignal,
): Promise<DataDownload> {
  await findLocation(ports.kube, options.veleroNamespace, options.source.storageLocation, signal);
  const pvc = await ensureTargetPvc(options, options.source, ports, signal);
  const operationId = ports.random.uuid();
  return await ports.kube.create(dataDownloadType, dataDownloadFor(options, pvc.metadata.uid ?? '', operationId), {
    signal,
  });
}

/** The DataDownload as Velero's restore action fills it (data-movement.md section 5). */
export function dataDownloadFor(options: DownloadVolumeOptions, pvcUid: string, operationId: string): DataDownload {
  const { source, target } = options;
  return {
    apiVersion: 'velero.io/v2alpha1',
    kind: 'DataDownload',
    metadata: {
      namespace: options.veleroNamespace,
      ...(options.name === undefined ? { generateName: `${target.pvc}-` } : { name: options.name }),
      labels: { [labels.asyncOperationId]: getValidName(`dd-${operationId}.${pvcUid}`) },
    },
    spec: {
      targetVolume: { pvc: target.pvc, pv: '', namespace: target.namespace },
      backupStorageLocation: source.storageLocation,
      snapshotID: source.snapshotId,
      sourceNamespace: source.sourceNamespace,
      operationTimeout: `${Math.round(options.operationTimeoutMs / 1000)}s`,
      dataMoverConfig: {
        WriteSparseFiles: 'true',
        ...(source.uploaderType === undefined ? {} : { UploaderType: source.uploaderType }),
        ...options.dataMoverConfig,
      },
      ...(source.snapshotSizeBytes === undefined ? {} : { snapshotSize: source.snapshotSizeBytes }),
    },
  };
}
