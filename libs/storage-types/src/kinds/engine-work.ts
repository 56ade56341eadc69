import type { Int64, Integer } from '@lateen/api-types';

/** Progress of a backup. */
export interface EngineBackupStatus {
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** URL of the backup. Empty until it is complete. */
  backupURL?: string;
  /** Why the backup failed. Empty: no error. */
  error?: string;
  /** Name of the snapshot that is backed up. */
  snapshotName?: string;
  /** `in_progress`, `complete` or `error`. Empty: not known. */
  state?: string;
  /** Address of the replica that the data is read from. */
  replicaAddress?: string;
}

/** Progress of a restore from a backup into one replica. */
export interface EngineRestoreStatus {
  /** Whether the restore runs now. */
  isRestoring?: boolean;
  /** Name of the backup that was last restored completely. Empty: none. */
  lastRestored?: string;
  /** Name of the backup that is being restored. Empty: none. */
  currentRestoringBackup?: string;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** Why the restore failed. Empty: no error. */
  error?: string;
  /** Name of the file of the replica that is written. */
  filename?: string;
  /** `in_progress`, `complete` or `error`. Empty: not started. */
  state?: string;
  /** URL of the backup that is restored. */
  backupURL?: string;
}

/** Progress of the merge of removed snapshots in one replica. */
export interface EnginePurgeStatus {
  /** Why the merge failed. Empty: no error. */
  error?: string;
  /** Whether the merge runs now. */
  isPurging?: boolean;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** `in_progress`, `complete` or `error`. Empty: not started. */
  state?: string;
}

/** Progress of the rebuild of one replica. */
export interface EngineRebuildStatus {
  /** Why the rebuild failed. Empty: no error. */
  error?: string;
  /** Whether the rebuild runs now. */
  isRebuilding?: boolean;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** `in_progress`, `complete` or `error`. Empty: not started. */
  state?: string;
  /** Address of the replica that the data is copied from. */
  fromReplicaAddress?: string;
  /** Addresses of all replicas that data is copied from. */
  fromReplicaAddressList?: string[];
  /** Limit of the speed of the rebuild, in megabytes per second. 0: no limit. */
  appliedRebuildingMBps?: Int64;
}

/** Progress of a copy from another volume into one replica. */
export interface EngineCloneStatus {
  /** Whether the copy runs now. */
  isCloning?: boolean;
  /** Why the copy failed. Empty: no error. */
  error?: string;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** `in_progress`, `complete` or `error`. Empty: not started. */
  state?: string;
  /** Address of the replica of the source volume that is copied. */
  fromReplicaAddress?: string;
  /** Name of the snapshot of the source volume that is copied. */
  snapshotName?: string;
}
