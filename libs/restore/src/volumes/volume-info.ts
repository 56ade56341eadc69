import type { DataDownload } from '@lateen/api-types';
import type { RestoreVolumeInfo } from '@lateen/backup-store';
import type { RestoreVolumeFacts } from '@lateen/item-actions';

/** What the volume info file of a restore has of a volume (object-store-layout.md section 5.6). */
export function restoreVolumeInfo(
  claim: { namespace: string; name: string },
  facts: RestoreVolumeFacts,
): RestoreVolumeInfo {
  const { method, dataMoved, volumeName } = facts;
  return {
    pvcName: claim.name,
    pvcNamespace: claim.namespace,
    ...(volumeName === undefined ? {} : { pvName: volumeName }),
    restoreMethod: method,
    snapshotDataMoved: dataMoved,
    ...(method === 'CSISnapshot' ? (dataMoved ? movementInfo(facts) : csiInfo(facts)) : {}),
  };
}

function movementInfo(facts: RestoreVolumeFacts): Pick<RestoreVolumeInfo, 'snapshotDataMovementInfo'> {
  const { snapshotHandle = '', operationId = '', sizeBytes = 0, object } = facts;
  return {
    snapshotDataMovementInfo: {
      dataMover: facts.dataMover ?? 'velero',
      uploaderType: facts.uploaderType ?? 'kopia',
      snapshotHandle,
      operationID: operationId,
      size: sizeBytes,
      Phase: (object as DataDownload | undefined)?.status?.phase ?? 'New',
    },
  };
}

function csiInfo(facts: RestoreVolumeFacts): Pick<RestoreVolumeInfo, 'csiSnapshotInfo'> {
  const { snapshotHandle = '', driver = '', contentName = '', sizeBytes = 0, operationId } = facts;
  return {
    csiSnapshotInfo: {
      snapshotHandle,
      size: sizeBytes,
      driver,
      vscName: contentName,
      ...(operationId === undefined ? {} : { operationID: operationId }),
    },
  };
}
