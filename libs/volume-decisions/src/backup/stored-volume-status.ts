import { apiTime } from '@lateen/kube';
import type { BackupVolumeStatus } from '@lateen/storage-types';
import type { StoredVolumeFacts } from './backup-volume-seen.ts';

/** Clients are told of so many bytes for each block, whatever the size of blocks is. */
const toldBlockBytes = 2n * 1024n * 1024n;

/** The status of a BackupVolume with what the target has of it. */
export const storedVolumeStatus = (
  before: BackupVolumeStatus,
  stored: StoredVolumeFacts,
  lookAtMs: number,
): BackupVolumeStatus => ({
  ...before,
  size: String(stored.sizeBytes),
  labels: stored.labels === null ? null : { ...stored.labels },
  createdAt: stored.createdTime,
  lastBackupName: stored.lastBackupName,
  lastBackupAt: stored.lastBackupAt,
  dataStored: String(stored.blockCount * toldBlockBytes),
  storageClassName: stored.storageClassName,
  backingImageName: stored.backingImageName,
  backingImageChecksum: stored.backingImageChecksum,
  messages: {},
  ...(stored.modifiedAtMs === undefined ? {} : { lastModificationTime: apiTime(stored.modifiedAtMs) }),
  lastSyncedAt: apiTime(lookAtMs),
});

/** What is known stays, with what is wrong beside it. */
export const failedLookStatus = (before: BackupVolumeStatus, error: string, lookAtMs: number): BackupVolumeStatus => ({
  ...before,
  messages: { error },
  lastSyncedAt: apiTime(lookAtMs),
});
