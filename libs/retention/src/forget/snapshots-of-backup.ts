import type { DataUpload, PodVolumeBackup } from '@lateen/api-types';
import type { BackupVolumeInfo } from '@lateen/backup-store';
import {
  type RepositorySnapshots,
  type StoredSnapshot,
  snapshotOfPodVolume,
  snapshotOfUpload,
  snapshotsByRepository,
} from '@lateen/maintenance';

/** The sources that name snapshots of a backup in repositories; each alone may be missing or outdated. */
export interface SnapshotSources {
  volumes: readonly BackupVolumeInfo[];
  /** Of the archive, and of the cluster. */
  uploads: readonly DataUpload[];
  /** Of the bucket, and of the cluster. */
  podVolumes: readonly PodVolumeBackup[];
}

/** What has to be forgotten when a backup goes, by repository; pure. */
export function snapshotsOfBackup({ volumes, uploads, podVolumes }: SnapshotSources): RepositorySnapshots[] {
  return snapshotsByRepository([
    ...volumes.flatMap(snapshotsOfVolume),
    ...uploads.map(snapshotOfUpload),
    ...podVolumes.map(snapshotOfPodVolume),
  ]);
}

function snapshotsOfVolume({ pvcNamespace, snapshotDataMovementInfo, pvbInfo }: BackupVolumeInfo): StoredSnapshot[] {
  const found: StoredSnapshot[] = [];
  if (snapshotDataMovementInfo !== undefined) {
    const { dataMover, uploaderType, snapshotHandle } = snapshotDataMovementInfo;
    found.push({ dataMover, uploaderType, volumeNamespace: pvcNamespace, snapshotID: snapshotHandle });
  }
  if (pvbInfo !== undefined) {
    const { uploaderType, podNamespace, snapshotHandle } = pvbInfo;
    found.push({ uploaderType, volumeNamespace: podNamespace, snapshotID: snapshotHandle });
  }
  return found;
}
