import type { BackupStatus } from '@lateen/storage-types';
import { withoutStoredJobs } from '../recurring/stored-jobs.ts';
import type { StoredBackupFacts } from './backup-seen.ts';

/** The status of a backup that is complete on the target. */
export const completedStatus = (
  before: BackupStatus,
  names: { readonly volumeName: string; readonly backupTargetName: string },
  stored: StoredBackupFacts,
  now: string,
): BackupStatus => ({
  ...before,
  ...names,
  state: 'Completed',
  progress: 100,
  error: '',
  url: stored.url,
  snapshotName: stored.snapshotName,
  snapshotCreatedAt: stored.snapshotCreatedAt,
  backupCreatedAt: stored.createdTime,
  size: stored.size,
  newlyUploadDataSize: stored.newlyUploaded,
  reUploadedDataSize: stored.reUploaded,
  labels: stored.labels === null ? null : withoutStoredJobs(stored.labels),
  compressionMethod: stored.compressionMethod,
  volumeSize: stored.volumeSize,
  volumeCreated: stored.volumeCreated,
  lastSyncedAt: now,
});
