import type { BackupVolumeInfo } from '@lateen/backup-store';
import type { VolumeFacts } from '@lateen/item-actions';

/** Velero's value while the result is unknown, and always for moved data (object-store-layout.md section 5.5). */
const unknown = 'unknown';

/** The volume info of a volume that an action snapshots; sizes, results and handles of moved data follow when operations end. */
export function snapshotInfo(facts: VolumeFacts, dataMover: string): Omit<BackupVolumeInfo, 'pvcName' | 'pvName'> {
  const { dataMoved, failed, startedAt } = facts;
  return {
    backupMethod: 'CSISnapshot',
    snapshotDataMoved: dataMoved,
    preserveLocalSnapshot: !dataMoved,
    skipped: false,
    ...(startedAt === undefined ? {} : { startTimestamp: startedAt }),
    ...(failed === undefined ? {} : { result: 'failed' as const }),
    csiSnapshotInfo: csiInfo(facts),
    ...(dataMoved ? { snapshotDataMovementInfo: movementInfo(facts, dataMover) } : {}),
  };
}

function csiInfo(facts: VolumeFacts): NonNullable<BackupVolumeInfo['csiSnapshotInfo']> {
  const {
    dataMoved,
    snapshotHandle,
    contentName,
    driver = '',
    sizeBytes = 0,
    operationId,
    groupSnapshotHandle,
  } = facts;
  return {
    snapshotHandle: dataMoved ? unknown : (snapshotHandle ?? unknown),
    size: dataMoved ? 0 : sizeBytes,
    driver,
    vscName: dataMoved ? unknown : (contentName ?? unknown),
    operationID: dataMoved ? unknown : (operationId ?? unknown),
    ReadyToUse: dataMoved ? null : (facts.readyToUse ?? null),
    ...(groupSnapshotHandle === undefined ? {} : { volumeGroupSnapshotHandle: groupSnapshotHandle }),
  };
}

function movementInfo(
  facts: VolumeFacts,
  dataMover: string,
): NonNullable<BackupVolumeInfo['snapshotDataMovementInfo']> {
  const { snapshotName, operationId = '', failed } = facts;
  return {
    dataMover,
    uploaderType: 'kopia',
    ...(snapshotName === undefined ? {} : { retainedSnapshot: snapshotName }),
    snapshotHandle: '',
    operationID: operationId,
    size: 0,
    Phase: failed === undefined ? 'New' : 'Failed',
  };
}
