import type { ByteProgress } from '../meta/byte-progress.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { ObjectReference } from '../meta/object-reference.ts';
import type { Int64, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { DataMovementPhase } from '../phases/data-movement-phase.ts';
import type { UploaderType } from '../phases/uploader-type.ts';
import type { RestoreThroughput } from '../v2alpha1/restore-throughput.ts';

/**
 * Restore of one volume of a pod, written through the file system by the node-agent on the pod's node. The pod waits for it in its init
 * container restore-wait.
 */
export interface PodVolumeRestore extends KubeObject {
  spec: PodVolumeRestoreSpec;
  status?: PodVolumeRestoreStatus;
}

/** Which data is restored, and into which volume. */
export interface PodVolumeRestoreSpec {
  /** The pod whose volume is restored. */
  pod: ObjectReference;
  /** Name of the volume in `spec.volumes` of the pod. */
  volume: string;
  /** Name of the BackupStorageLocation whose repository has the data. */
  backupStorageLocation: string;
  /** Address of a restic repository. Required, but an empty text for kopia. */
  repoIdentifier: string;
  /** Engine that stored the data: `kopia` or `restic`. Empty: kopia. */
  uploaderType?: UploaderType;
  /** ID of the snapshot in the repository, from `status.snapshotID` of the PodVolumeBackup. */
  snapshotID: string;
  /** Namespace that the volume was backed up from. It determines the repository, also if the pod is restored into another namespace. */
  sourceNamespace: string;
  /** Settings of the engine, as text: `ParallelFilesDownload`, `WriteSparseFiles`, `DeleteExtraFiles`, `DirectRestore`. Empty: defaults. */
  uploaderSettings?: Record<string, string> | null;
  /** Set it to `true` to cancel the restore of the volume. No effect after it has ended. Default: `false`. */
  cancel?: boolean;
  /** Size of the data in bytes. Empty or 0: not known. */
  snapshotSize?: Int64;
  /**
   * How files are written into a volume that has files already. `full` or empty: every file is written. `incremental`: only files whose
   * size or time differs.
   */
  restoreType?: string;
}

/** Progress and result of the restore of the volume. Only node-agents write it. */
export interface PodVolumeRestoreStatus {
  /**
   * `New` (or empty): no node-agent has accepted it. `Accepted`: the volume is being mounted. `Prepared`: it waits for a free slot on its
   * node. `InProgress`: data is transferred. `Canceling`: it is being cancelled. `Completed`, `Failed`, `Canceled`: it has ended.
   */
  phase?: DataMovementPhase;
  /** Why the restore is in its phase. After a failure: the cause, and what to do. */
  message?: string;
  /** When the transfer of data started. */
  startTimestamp?: Timestamp | null;
  /** When the restore of the volume ended, successfully or not. */
  completionTimestamp?: Timestamp | null;
  /** When a node-agent accepted the restore. */
  acceptedTimestamp?: Timestamp | null;
  /** Bytes restored so far, and in total. */
  progress?: ByteProgress;
  /** Speed of the restore, and what limits it. */
  throughput?: RestoreThroughput;
  /** Name of the node that runs the transfer. */
  node?: string;
}

export const podVolumeRestoreType = veleroType<PodVolumeRestore>('v1', 'PodVolumeRestore', 'podvolumerestores');
