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

/** State of the engine, and what it does. */
export interface EngineStatus extends InstanceStatus {
  /** Size of the device that the engine serves: decimal number of bytes, as text. */
  currentSize?: Int64Text;
  /** Address of each replica that the engine uses. Key: name of the Replica. */
  currentReplicaAddressMap?: Record<string, string> | null;
  /**
   * Mode of each replica of the engine. `RW`: it is read and written. `WO`: it is written, and not read because it is being rebuilt. `ERR`:
   * it has failed. Key: name of the Replica.
   */
  replicaModeMap?: Record<string, ReplicaMode> | null;
  /** When each replica got its mode. Key: name of the Replica. */
  replicaTransitionTimeMap?: Record<string, TimeText>;
  /** Device of the volume, such as `/dev/longhorn/NAME`. Empty: there is no device. */
  endpoint?: string;
  /** Snapshots of the volume, with its current data (`volume-head`). Key: name of the snapshot. */
  snapshots?: Record<string, EngineSnapshot> | null;
  /** Why the snapshots could not be listed. Empty: no error. */
  snapshotsError?: string;
  /** Backups that are being made. Key: name of the Backup. */
  backupStatus?: Record<string, EngineBackupStatus> | null;
  /** Restores from backups into the replicas. Key: address of the replica. */
  restoreStatus?: Record<string, EngineRestoreStatus> | null;
  /** Merges of removed snapshots. Key: address of the replica. */
  purgeStatus?: Record<string, EnginePurgeStatus> | null;
  /** Rebuilds of replicas. Key: address of the replica that is rebuilt. */
  rebuildStatus?: Record<string, EngineRebuildStatus> | null;
  /** Copies from another volume into the replicas. Key: address of the replica. */
  cloneStatus?: Record<string, EngineCloneStatus> | null;
  /** Name of the backup that was last restored into the volume. Empty: none. */
  lastRestoredBackup?: string;
  /** Whether the volume is being expanded. */
  isExpanding?: boolean;
  /** Why the last expansion failed. Empty: it did not. */
  lastExpansionError?: string;
  /** When an expansion last failed. Empty: never. */
  lastExpansionFailedAt?: TimeText;
  /** Number of snapshots that the engine allows. */
  snapshotMaxCount?: Integer;
  /** Size that the engine allows for all snapshots together: decimal number of bytes, as text. `0`: no limit. */
  snapshotMaxSize?: Int64Text;
  /** Whether a trim also frees blocks of snapshots that are marked as removed. Lateen does not do that. */
  unmapMarkSnapChainRemovedEnabled?: boolean;
  /**
   * Number of snapshot files that a rebuild copies in parallel.
   * @minimum 0
   */
  rebuildConcurrentSyncLimit?: Integer;
}

/** A snapshot of the volume, as the engine has it. */
export interface EngineSnapshot {
  /** Name of the snapshot. `volume-head`: the current data of the volume. */
  name?: string;
  /** Name of the snapshot before this one. Empty: it is the first one. */
  parent?: string;
  /** Names of the snapshots after this one, as keys. */
  children?: Record<string, boolean> | null;
  /** `true`: the snapshot was deleted, and its data will be merged into the next one. */
  removed?: boolean;
  /** `true`: a user or a recurring job asked for it. `false`: the volume manager took it for itself, for example for a rebuild. */
  usercreated?: boolean;
  /** When the snapshot was taken. */
  created?: TimeText;
  /** Space that the snapshot takes on one replica: decimal number of bytes, as text. */
  size?: string;
  /** Labels that the snapshot was taken with. */
  labels?: Record<string, string> | null;
}
