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

/** The operation ID of a DataDownload; two UIDs are too long for a label, so it is shortened like label values. */
export const downloadOperationId = (restore: Restore, stored: PersistentVolumeClaim): string =>
  getValidName(`dd-${restore.metadata.uid ?? ''}.${stored.metadata.uid ?? ''}`);

export interface DownloadOrder {
  /** The claim as it is in the backup. */
  stored: PersistentVolumeClaim;
  target: { namespace: string; name: string };
  result: DataUploadResult;
  /** The volume of an existing claim, when the data is written into that volume. */
  into?: { restoreType: string; volume: string };
}

/** The DataDownload that restores the data of a claim (data-movement.md section 5). */
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
      // Values from the mover that uploaded the data, and the choices of the restore.
      dataMoverConfig: { ...result.dataMoverResult, ...uploaderConfigOf(restore, into !== undefined) },
      operationTimeout: timeoutOf(backup).text,
      ...(nodeOS === undefined ? {} : { nodeOS }),
      ...(snapshotSize === undefined ? {} : { snapshotSize }),
    },
  };
}

/** The restore's settings for the mover. @param isInPlace the volume existed before, with files of its own */
export function uploaderConfigOf({ spec }: Restore, isInPlace: boolean): Record<string, string> {
  const { writeSparseFiles, parallelFilesDownload = 0, deleteExtraFiles, directRestore } = spec.uploaderConfig ?? {};
  return {
    WriteSparseFiles: String(writeSparseFiles === true),
    ...(parallelFilesDownload > 0 ? { ParallelFilesDownload: String(parallelFilesDownload) } : {}),
    ...(isInPlace && deleteExtraFiles === true ? { DeleteExtraFiles: 'true' } : {}),
    ...(directRestore === false ? { DirectRestore: 'false' } : {}),
  };
}
