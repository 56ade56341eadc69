import type { DataDownload, PodVolumeRestore } from '@lateen/api-types';
import type { RestoreVolumeInfo } from '@lateen/backup-store';
import type { RestoreVolumeFacts } from '@lateen/item-actions';

/** The entry of a volume in the volume info file of a restore (object-store-layout.md section 5.6). */
export function restoreVolumeInfo(
  claim: { namespace: string; name: string } | undefined,
  facts: RestoreVolumeFacts,
): RestoreVolumeInfo {
  const { method, dataMoved, volumeName } = facts;
  return {
    ...(claim === undefined ? {} : { pvcName: claim.name, pvcNamespace: claim.namespace }),
    ...(volumeName === undefined ? {} : { pvName: volumeName }),
    restoreMethod: method,
    snapshotDataMoved: dataMoved,
    ...(method === 'CSISnapshot' ? (dataMoved ? movementInfo(facts) : csiInfo(facts)) : {}),
    ...(method === 'PodVolumeRestore' ? podVolumeInfo(facts) : {}),
  };
}

function podVolumeInfo(facts: RestoreVolumeFacts): Pick<RestoreVolumeInfo, 'pvrInfo'> {
  const { snapshotHandle = '', sizeBytes = 0, uploaderType = 'kopia', podVolume, object } = facts;
  const { phase = 'New', node = '' } = (object as PodVolumeRestore | undefined)?.status ?? {};
  return {
    pvrInfo: {
      snapshotHandle,
      size: sizeBytes,
      uploaderType,
      volumeName: podVolume?.volume ?? '',
      podName: podVolume?.pod ?? '',
      podNamespace: podVolume?.namespace ?? '',
      nodeName: node,
      Phase: phase,
    },
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
