import type { HookStatus } from '../meta/hook.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Integer, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { BackupPhase } from '../phases/backup-phase.ts';
import type { BackupSpec } from './backup-spec.ts';

/** A backup: the objects of the cluster that its spec selects, and the data of their volumes, at one point in time. */
export interface Backup extends KubeObject {
  spec: BackupSpec;
  status?: BackupStatus;
}

/** Progress and result of the backup. */
export interface BackupStatus {
  /** Major version of the format that the backup is stored in: 1. */
  version?: Integer;
  /** Version of the format that the backup is stored in, such as `1.1.0`. */
  formatVersion?: string;
  /** When the backup expires. After this time, Lateen deletes it with its data. */
  expiration?: Timestamp | null;
  /**
   * Progress of the backup. `New`, `Queued`, `ReadyToStart`: it waits to start. `FailedValidation`: the spec is not valid, see
   * validationErrors. `InProgress`: objects and volumes are backed up. `WaitingForPluginOperations`: objects are stored, volume data is
   * still uploaded. `Finalizing`: last changes are stored. `Completed`: everything is stored. `PartiallyFailed`: everything but what the
   * errors name is stored. `Failed`: there is no backup, see failureReason. `Canceling`, `Canceled`: see `spec.cancel`. `Deleting`: it is
   * being deleted. The phases that end in PartiallyFailed mean the same, with errors. Empty: as New.
   */
  phase?: BackupPhase;
  /** Position in the queue of backups that wait, starting at 1. Set only in phase Queued. */
  queuePosition?: Integer;
  /** Everything that is wrong with the spec. Set only in phase FailedValidation. */
  validationErrors?: string[] | null;
  /** When the backup started. Empty while it waits. */
  startTimestamp?: Timestamp | null;
  /** When the backup ended, successfully or not. */
  completionTimestamp?: Timestamp | null;
  /** Number of native volume snapshots that were started. */
  volumeSnapshotsAttempted?: Integer;
  /** Number of native volume snapshots that were taken successfully. */
  volumeSnapshotsCompleted?: Integer;
  /** Why the whole backup failed. Set only in phase Failed. */
  failureReason?: string;
  /** Number of warnings. `lateen backup describe` and the log of the backup show them. */
  warnings?: Integer;
  /** Number of errors. `lateen backup describe` and the log of the backup show them. */
  errors?: Integer;
  /** Number of objects backed up so far, and in total. Updated at most once a second. */
  progress?: BackupProgress | null;
  /** Number of CSI snapshots that were started. */
  csiVolumeSnapshotsAttempted?: Integer;
  /** Number of CSI snapshots that were taken successfully. */
  csiVolumeSnapshotsCompleted?: Integer;
  /** Number of operations in the background that were started: volume uploads, and operations of plugins. */
  backupItemOperationsAttempted?: Integer;
  /** Number of operations in the background that ended successfully. */
  backupItemOperationsCompleted?: Integer;
  /** Number of operations in the background that failed. */
  backupItemOperationsFailed?: Integer;
  /** Number of hooks that ran, and that failed. */
  hookStatus?: HookStatus | null;
}

/** Progress of the backup, in objects. */
export interface BackupProgress {
  /** Number of objects to back up, as far as known. It grows when related objects are found. */
  totalItems?: Integer;
  /** Number of objects that were backed up so far. */
  itemsBackedUp?: Integer;
}

export const backupType = veleroType<Backup>('v1', 'Backup', 'backups');
