import { type DataUpload, dataUploadType, labels, type Unstructured } from '@lateen/api-types';
import type { BackupOperation, BackupVolumeInfo } from '@lateen/backup-store';
import { isOpenOperation } from '@lateen/run';

/**
 * Completes the volume infos of a backup with the results of its operations (object-store-layout.md section 5.5): result and time for each
 * volume with an operation, and for moved data the facts of the DataUpload. Pure.
 * @param items the objects that were read again after the operations, including the DataUploads
 */
export function completeVolumes(
  volumes: readonly BackupVolumeInfo[],
  operations: readonly BackupOperation[],
  items: readonly Unstructured[],
): BackupVolumeInfo[] {
  const byId = new Map(operations.map((operation) => [operation.spec.operationID, operation]));
  const uploads = new Map(items.filter(isDataUpload).map((upload) => [operationIdOf(upload), upload]));
  return volumes.map((volume) => {
    const id = volume.snapshotDataMovementInfo?.operationID ?? volume.csiSnapshotInfo?.operationID;
    const operation = id === undefined ? undefined : byId.get(id);
    if (id === undefined || operation === undefined) return volume;
    return {
      ...volume,
      ...resultOf(operation),
      ...readinessOf(volume, operation),
      ...movementOf(volume, operation, uploads.get(id)),
    };
  });
}

function resultOf({ status }: BackupOperation): Partial<BackupVolumeInfo> {
  if (isOpenOperation(status.phase)) return {};
  return {
    result: status.phase === 'Completed' ? 'succeeded' : 'failed',
    ...(status.updated === undefined ? {} : { completionTimestamp: status.updated }),
  };
}

/** A successful operation means that the snapshot is ready, because the operation waited for that. */
function readinessOf(
  { snapshotDataMoved, csiSnapshotInfo: info }: BackupVolumeInfo,
  { status }: BackupOperation,
): Partial<BackupVolumeInfo> {
  if (snapshotDataMoved || info === undefined || status.phase !== 'Completed') return {};
  return { csiSnapshotInfo: { ...info, ReadyToUse: true } };
}

function movementOf(
  { snapshotDataMovementInfo: info }: BackupVolumeInfo,
  { status }: BackupOperation,
  upload: DataUpload | undefined,
): Partial<BackupVolumeInfo> {
  if (info === undefined) return {};
  const { snapshotID, progress, incrementalBytes, completionTimestamp, phase } = upload?.status ?? {};
  return {
    snapshotDataMovementInfo: {
      ...info,
      Phase: phase ?? (status.phase === 'Completed' ? 'Completed' : 'Failed'),
      size: progress?.totalBytes ?? info.size,
      ...(snapshotID === undefined ? {} : { snapshotHandle: snapshotID }),
      ...(incrementalBytes === undefined ? {} : { incrementalSize: incrementalBytes }),
    },
    ...(completionTimestamp === undefined || completionTimestamp === null ? {} : { completionTimestamp }),
  };
}

const isDataUpload = (item: Unstructured): item is Unstructured & DataUpload => item.kind === dataUploadType.kind;

const operationIdOf = ({ metadata }: DataUpload): string => metadata.labels?.[labels.asyncOperationId] ?? '';
