import type { HookStatus } from '../meta/hook.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Integer, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { BackupPhase } from '../phases/backup-phase.ts';
import type { BackupSpec } from './backup-spec.ts';

/** A copy of objects and volumes of the cluster at one point in time. */
export interface Backup extends KubeObject {
  spec: BackupSpec;
  status?: BackupStatus;
}

/** How the backup went. */
export interface BackupStatus {
  /** Major version of the stored format; formatVersion says more. */
  version?: Integer;
  /** Version of the stored format. */
  formatVersion?: string;
  /** When the backup may be deleted. */
  expiration?: Timestamp | null;
  /** Where in its life the backup is. */
  phase?: BackupPhase;
  /** Place in the queue, from 1; only while Queued. */
  queuePosition?: Integer;
  /** What is wrong with the specification. */
  validationErrors?: string[] | null;
  /** When the work began. */
  startTimestamp?: Timestamp | null;
  /** When the work ended, well or not. */
  completionTimestamp?: Timestamp | null;
  /** Native volume snapshots tried. */
  volumeSnapshotsAttempted?: Integer;
  /** Native volume snapshots that succeeded. */
  volumeSnapshotsCompleted?: Integer;
  /** Why the whole backup failed. */
  failureReason?: string;
  /** Warnings in the backup's log. */
  warnings?: Integer;
  /** Errors in the backup's log. */
  errors?: Integer;
  /** How many objects are done; may lag behind. */
  progress?: BackupProgress | null;
  /** CSI snapshots tried. */
  csiVolumeSnapshotsAttempted?: Integer;
  /** CSI snapshots that succeeded. */
  csiVolumeSnapshotsCompleted?: Integer;
  /** Operations of plugins and data movers that were started. */
  backupItemOperationsAttempted?: Integer;
  /** Operations that succeeded. */
  backupItemOperationsCompleted?: Integer;
  /** Operations that ended with an error. */
  backupItemOperationsFailed?: Integer;
  /** How the hooks went. */
  hookStatus?: HookStatus | null;
}

/** Progress in objects. */
export interface BackupProgress {
  /** Objects to back up, as far as is known by now. */
  totalItems?: Integer;
  /** Objects written so far. */
  itemsBackedUp?: Integer;
}

export const backupType = veleroType<Backup>('v1', 'Backup', 'backups');
