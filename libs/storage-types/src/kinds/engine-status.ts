import type { Integer } from '@lateen/api-types';
import type { InstanceStatus } from '../instance/instance-status.ts';
import type { Int64Text, TimeText } from '../meta/scalars.ts';
import type {
  EngineBackupStatus,
  EngineCloneStatus,
  EnginePurgeStatus,
  EngineRebuildStatus,
  EngineRestoreStatus,
} from './engine-work.ts';

/** RW takes part in everything, WO takes writes while it is rebuilt, ERR has failed. */
export const replicaModes = ['RW', 'WO', 'ERR'] as const;
/** @unchecked */
export type ReplicaMode = (typeof replicaModes)[number];

/** What an engine does. */
export interface EngineStatus extends InstanceStatus {
  /** Size in bytes that the engine serves. */
  currentSize?: Int64Text;
  /** Address of each replica that the engine was started with, by the name of the Replica. */
  currentReplicaAddressMap?: Record<string, string> | null;
  /** Mode of each replica as the engine has it, by the name of the Replica. */
  replicaModeMap?: Record<string, ReplicaMode> | null;
  /** When each replica got the mode that it has. */
  replicaTransitionTimeMap?: Record<string, TimeText>;
  /** Where the volume can be reached; empty without a front end. */
  endpoint?: string;
  /** Snapshots in the chain of the volume, its head included, by name. */
  snapshots?: Record<string, EngineSnapshot> | null;
  /** Why the snapshots could not be listed. */
  snapshotsError?: string;
  /** Backups that run, by name. */
  backupStatus?: Record<string, EngineBackupStatus> | null;
  /** Restores that run, by the address of the replica. */
  restoreStatus?: Record<string, EngineRestoreStatus> | null;
  /** Merges of removed snapshots that run, by the address of the replica. */
  purgeStatus?: Record<string, EnginePurgeStatus> | null;
  /** Rebuilds that run, by the address of the replica. */
  rebuildStatus?: Record<string, EngineRebuildStatus> | null;
  /** Clones that run, by the address of the replica. */
  cloneStatus?: Record<string, EngineCloneStatus> | null;
  /** Name of the backup that was restored last. */
  lastRestoredBackup?: string;
  /** Whether the engine is growing. */
  isExpanding?: boolean;
  /** Why the last growth failed. */
  lastExpansionError?: string;
  /** When the last growth failed. */
  lastExpansionFailedAt?: TimeText;
  /** Number of snapshots that the engine allows. */
  snapshotMaxCount?: Integer;
  /** Bytes that it allows all snapshots together. */
  snapshotMaxSize?: Int64Text;
  /** Whether a trim takes snapshots that are marked as removed with it. */
  unmapMarkSnapChainRemovedEnabled?: boolean;
  /**
   * Number of layers that a rebuild copies at once.
   * @minimum 0
   */
  rebuildConcurrentSyncLimit?: Integer;
}

/** A snapshot as the engine has it. */
export interface EngineSnapshot {
  /** Name of the snapshot; volume-head for the head. */
  name?: string;
  /** Name of the snapshot before it; empty for the first one. */
  parent?: string;
  /** Names of those that come after it. */
  children?: Record<string, boolean> | null;
  /** Whether it is to go with the next purge. */
  removed?: boolean;
  /** Whether somebody asked for it. */
  usercreated?: boolean;
  /** When it was taken. */
  created?: TimeText;
  /** Bytes that it takes, in decimal. */
  size?: string;
  /** Labels it was taken with. */
  labels?: Record<string, string> | null;
}
