import type { Int64, Integer } from '@lateen/api-types';

/** A backup that an engine makes. */
export interface EngineBackupStatus {
  /** Percent done. */
  progress?: Integer;
  /** URL of the backup. */
  backupURL?: string;
  /** Why it failed. */
  error?: string;
  /** Snapshot that is backed up. */
  snapshotName?: string;
  /** How far it has come. */
  state?: string;
  /** Address of the replica that it is read from. */
  replicaAddress?: string;
}

/** A restore into one replica. */
export interface EngineRestoreStatus {
  /** Whether it runs. */
  isRestoring?: boolean;
  /** Name of the backup that was restored last. */
  lastRestored?: string;
  /** Name of the backup that is being restored. */
  currentRestoringBackup?: string;
  /** Percent done. */
  progress?: Integer;
  /** Why it failed. */
  error?: string;
  /** File that is written into. */
  filename?: string;
  /** How far it has come. */
  state?: string;
  /** URL of the backup. */
  backupURL?: string;
}

/** A merge of removed snapshots in one replica. */
export interface EnginePurgeStatus {
  /** Why it failed. */
  error?: string;
  /** Whether it runs. */
  isPurging?: boolean;
  /** Percent done. */
  progress?: Integer;
  /** How far it has come. */
  state?: string;
}

/** The rebuild of one replica. */
export interface EngineRebuildStatus {
  /** Why it failed. */
  error?: string;
  /** Whether it runs. */
  isRebuilding?: boolean;
  /** Percent done. */
  progress?: Integer;
  /** How far it has come. */
  state?: string;
  /** Address of the replica that is copied. */
  fromReplicaAddress?: string;
  /** Addresses of all replicas that are copied from. */
  fromReplicaAddressList?: string[];
  /** Megabytes per second that it is held to; 0 for no bound. */
  appliedRebuildingMBps?: Int64;
}

/** A clone into one replica. */
export interface EngineCloneStatus {
  /** Whether it runs. */
  isCloning?: boolean;
  /** Why it failed. */
  error?: string;
  /** Percent done. */
  progress?: Integer;
  /** How far it has come. */
  state?: string;
  /** Address of the replica that is copied. */
  fromReplicaAddress?: string;
  /** Snapshot that is copied. */
  snapshotName?: string;
}
