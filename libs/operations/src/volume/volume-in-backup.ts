import { type Backup, type DataUpload, isBuiltInDataMover, type PodVolumeBackup } from '@lateen/api-types';
import { type BackupVolumeInfo, volumeInfoFile } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import { type BackupRepositoryKey, knownUploaderType } from '@lateen/repository';
import { type BringFile, readJsonFile } from '../run/read-file.ts';

/** Where a volume is stored. */
export interface StoredSnapshot {
  /** What says so: the upload, or the backup if its uploads are not in this cluster. */
  readonly from: DataUpload | PodVolumeBackup | Backup;
  /** `namespace/pvc`, or `namespace/pod:volume`. */
  readonly volume: string;
  readonly snapshotID: string;
  readonly key: BackupRepositoryKey;
}

/** What the volume information of a backup says of one stored volume. */
interface StoredInfo {
  volumeNamespace: string | undefined;
  uploaderType: string;
  snapshotHandle: string | undefined;
  phase: string;
}

/**
 * The snapshot of a volume, as the volume information in the bucket says (object-store-layout.md section 5.5): for backups whose uploads
 * are not in this cluster. Undefined if the backup has no such volume, or none was moved.
 * @throws AppError NOT_VERIFIABLE if its upload did not complete; UPLOADER_TYPE_UNKNOWN; what the download throws
 */
export async function volumeInBackup(
  backup: Backup,
  volume: string,
  bring: BringFile,
  signal: AbortSignal,
): Promise<StoredSnapshot | undefined> {
  const read = await readJsonFile(bring, 'BackupVolumeInfos', volumeInfoFile, signal);
  if (read.kind === 'failed') throw read.error;
  const [info] = (read.kind === 'read' ? read.value : []).flatMap((each) => storedIn(each, volume) ?? []);
  if (info === undefined) return undefined;
  const { volumeNamespace = '', uploaderType, snapshotHandle = '', phase } = info;
  const { name, namespace = '' } = backup.metadata;
  if (snapshotHandle === '')
    throw new AppError(
      'NOT_VERIFIABLE',
      `the upload of ${volume} in backup ${name} is ${phase}: it has stored no snapshot`,
      {
        nextStep: 'Choose another backup: lateen backup get',
      },
    );
  const type = knownUploaderType(uploaderType || 'kopia', 'uploaderType of the volume information');
  const key = { namespace, location: backup.spec.storageLocation ?? '', volumeNamespace, type };
  return { from: backup, volume, snapshotID: snapshotHandle, key };
}

function storedIn(
  { pvcNamespace, pvcName, snapshotDataMovementInfo: moved, pvbInfo }: BackupVolumeInfo,
  volume: string,
): StoredInfo | undefined {
  const isClaim = `${pvcNamespace}/${pvcName}` === volume;
  if (isClaim && moved !== undefined && isBuiltInDataMover(moved.dataMover)) {
    const { uploaderType, snapshotHandle, Phase: phase } = moved;
    return { volumeNamespace: pvcNamespace, uploaderType, snapshotHandle, phase };
  }
  if (pvbInfo === undefined) return undefined;
  const { podNamespace, podName, volumeName, uploaderType, snapshotHandle, Phase: phase } = pvbInfo;
  if (!isClaim && `${podNamespace}/${podName}:${volumeName}` !== volume) return undefined;
  return { volumeNamespace: podNamespace, uploaderType, snapshotHandle, phase };
}
