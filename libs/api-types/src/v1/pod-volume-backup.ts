import type { ByteProgress } from '../meta/byte-progress.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { ObjectReference } from '../meta/object-reference.ts';
import type { Int64, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { DataMovementPhase } from '../phases/data-movement-phase.ts';
import type { UploaderType } from '../phases/uploader-type.ts';

/** Backup of one volume of a running pod, read through its file system by the node-agent on the pod's node. */
export interface PodVolumeBackup extends KubeObject {
  spec: PodVolumeBackupSpec;
  status?: PodVolumeBackupStatus;
}

/** Which volume is read, and where its data is stored. */
export interface PodVolumeBackupSpec {
  /** Name of the node that the pod runs on. */
  node: string;
  /** The pod whose volume is backed up. */
  pod: ObjectReference;
  /** Name of the volume in `spec.volumes` of the pod. */
  volume: string;
  /** Name of the BackupStorageLocation whose repository stores the data. */
  backupStorageLocation: string;
  /** Address of a restic repository. Required, but an empty text for kopia. */
  repoIdentifier: string;
  /** Engine that stores the data: `kopia` or `restic`. */
  uploaderType?: UploaderType;
  /** Text values that say where the data comes from: `backup`, `backup-uid`, `pod`, `pod-uid`, `ns`, `volume`, `pvc-uid`. */
  tags?: Record<string, string>;
  /** Settings of the engine, as text: `ParallelFilesUpload` is the number of files that are read in parallel. Empty: defaults. */
  uploaderSettings?: Record<string, string> | null;
  /**
   * Snapshot in the repository that this one builds on. Empty or `auto`: the newest one of the volume. `none`: all files are read.
   * Otherwise the ID of a snapshot, as in `status.snapshotID`.
   */
  parentSnapshot?: string;
  /** Set it to `true` to cancel the backup of the volume. No effect after it has ended. Default: `false`. */
  cancel?: boolean;
}

/** Progress and result of the backup of the volume. Only node-agents write it. */
export interface PodVolumeBackupStatus {
  /**
   * `New` (or empty): no node-agent has accepted it. `Accepted`: the volume is being mounted. `Prepared`: it waits for a free slot on its
   * node. `InProgress`: data is transferred. `Canceling`: it is being cancelled. `Completed`, `Failed`, `Canceled`: it has ended.
   */
  phase?: DataMovementPhase;
  /** Path of the volume in the data mover's pod. */
  path?: string;
  /** ID of the snapshot in the repository. A PodVolumeRestore names it. */
  snapshotID?: string;
  /** Why the backup is in its phase. After a failure: the cause, and what to do. */
  message?: string;
  /** When the transfer of data started. */
  startTimestamp?: Timestamp | null;
  /** When the backup of the volume ended, successfully or not. */
  completionTimestamp?: Timestamp | null;
  /** When a node-agent accepted the backup. */
  acceptedTimestamp?: Timestamp | null;
  /** Bytes transferred so far, and in total. */
  progress?: ByteProgress;
  /** Bytes that were new or had changed since the snapshot before. Absent: not known. */
  incrementalBytes?: Int64;
}

export const podVolumeBackupType = veleroType<PodVolumeBackup>('v1', 'PodVolumeBackup', 'podvolumebackups');
