import {
  type Backup,
  type DataDownload,
  dataDownloadType,
  getValidName,
  labels,
  type PersistentVolumeClaim,
  type Restore,
} from '@lateen/api-types';
import { ownerReferenceTo } from '@lateen/kube';
import { timeoutOf } from '../csi/csi-run.ts';
import { restoreLabels } from './restore-labels.ts';
import type { DataUploadResult } from './upload-result.ts';

/** The operation of a DataDownload; two uids are too long for a label, so it is cut as label values are. */
export const downloadOperationId = (restore: Restore, stored: PersistentVolumeClaim): string =>
  getValidName(`dd-${restore.metadata.uid ?? ''}.${stored.metadata.uid ?? ''}`);

export interface DownloadOrder {
  /** The claim as it is in the backup. */
  stored: PersistentVolumeClaim;
  target: { namespace: string; name: string };
  result: DataUploadResult;
  /** The volume that the claim has, when the data goes into that. */
  into?: { restoreType: string; volume: string };
}

/** Has the data of a claim brought back (data-movement.md section 5). */
export function dataDownloadFor(
  { stored, target, result, into }: DownloadOrder,
  { restore, backup, veleroNamespace }: { restore: Restore; backup: Backup; veleroNamespace: string },
): DataDownload {
  const { nodeOS, datamover, snapshotSize } = result;
  return {
    apiVersion: `${dataDownloadType.group}/${dataDownloadType.version}`,
    kind: 'DataDownload',
    metadata: {
      generateName: `${restore.metadata.name}-`,
      namespace: veleroNamespace,
      labels: { ...restoreLabels(restore), [labels.asyncOperationId]: downloadOperationId(restore, stored) },
      ownerReferences: [ownerReferenceTo(restore, { controller: true })],
    },
    spec: {
      targetVolume: { pvc: target.name, pv: into?.volume ?? '', namespace: target.namespace },
      ...(into === undefined ? {} : { restoreType: into.restoreType }),
      backupStorageLocation: result.backupStorageLocation,
      ...(datamover === undefined ? {} : { datamover }),
      snapshotID: result.snapshotID,
      sourceNamespace: result.sourceNamespace,
      dataMoverConfig: moverConfigOf(restore, result, into !== undefined),
      operationTimeout: timeoutOf(backup).text,
      ...(nodeOS === undefined ? {} : { nodeOS }),
      ...(snapshotSize === undefined ? {} : { snapshotSize }),
    },
  };
}

/** What the mover that uploaded wants to be told, and what the restore chooses. */
function moverConfigOf(restore: Restore, { dataMoverResult }: DataUploadResult, isInPlace: boolean) {
  const isPruned = isInPlace && restore.spec.uploaderConfig?.deleteExtraFiles === true;
  return { ...dataMoverResult, ...uploaderConfigOf(restore), ...(isPruned ? { DeleteExtraFiles: 'true' } : {}) };
}

/** How a restore wants volumes written, for the mover. */
export function uploaderConfigOf({ spec }: Restore): Record<string, string> {
  const { writeSparseFiles, parallelFilesDownload = 0, directRestore } = spec.uploaderConfig ?? {};
  return {
    WriteSparseFiles: String(writeSparseFiles === true),
    ...(parallelFilesDownload > 0 ? { ParallelFilesDownload: String(parallelFilesDownload) } : {}),
    ...(directRestore === false ? { DirectRestore: 'false' } : {}),
  };
}
