import { apiTime } from '@lateen/kube';
import type { BackupVolumeStatus } from '@lateen/storage-types';
import type { StoredVolumeFacts } from './backup-volume-seen.ts';

/** The bytes that clients see for each block, whatever the real block size is. */
const toldBlockBytes = 2n * 1024n * 1024n;

/** The status of a BackupVolume, updated with the contents of the target. */
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

/** The last known state is kept, and the problem is added to it. */
export const failedLookStatus = (before: BackupVolumeStatus, error: string, lookAtMs: number): BackupVolumeStatus => ({
  ...before,
  messages: { error },
  lastSyncedAt: apiTime(lookAtMs),
});
