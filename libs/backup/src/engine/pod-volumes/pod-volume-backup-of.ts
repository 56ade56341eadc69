import {
  annotations,
  type Backup,
  getValidName,
  labels,
  labelValues,
  type PersistentVolumeClaim,
  type Pod,
  type PodVolumeBackup,
  parentSnapshotOf,
  podVolumeBackupType,
  type UploaderType,
  type Volume,
} from '@lateen/api-types';
import { ownerReferenceTo } from '@lateen/kube';
import { podVolumeMarks, podVolumeSpec } from '@lateen/volume-policies';

export interface PodVolumeOrder {
  backup: Backup;
  /** Namespace of the installation. */
  namespace: string;
  pod: Pod;
  volume: Volume;
  /** The claim of the volume; absent for a volume without one. */
  claim: PersistentVolumeClaim | undefined;
  uploaderType: UploaderType;
  /** Whether hooks keep the pod frozen until the volume is read. */
  isHeld: boolean;
}

/** Builds the PodVolumeBackup by which the node-agent of the pod's node reads one volume (api.md section 11, data-movement.md section 6). Pure. */
export function podVolumeBackupOf(order: PodVolumeOrder): PodVolumeBackup {
  const { backup, namespace, uploaderType, isHeld } = order;
  const { name: backupName = '', uid: backupUid = '' } = backup.metadata;
  const marks = podVolumeMarks(order);
  const notes = { ...marks.annotations, ...(isHeld ? { [annotations.podIsHeld]: labelValues.true } : {}) };
  const files = backup.spec.uploaderConfig?.parallelFilesUpload ?? 0;
  return {
    apiVersion: `${podVolumeBackupType.group}/${podVolumeBackupType.version}`,
    kind: podVolumeBackupType.kind,
    metadata: {
      generateName: `${backupName}-`,
      namespace,
      labels: {
        [labels.backupName]: getValidName(backupName),
        [labels.backupUid]: getValidName(backupUid),
        ...marks.labels,
      },
      ...(Object.keys(notes).length === 0 ? {} : { annotations: notes }),
      ownerReferences: [ownerReferenceTo(backup, { controller: true })],
    },
    spec: {
      ...podVolumeSpec(order, {
        storageLocation: backup.spec.storageLocation ?? '',
        uploaderType,
        tags: { backup: backupName, 'backup-uid': backupUid },
        settings: files > 0 ? { ParallelFilesUpload: String(files) } : {},
      }),
      ...parentSnapshotOf(backup.spec.backupType),
    },
  };
}
