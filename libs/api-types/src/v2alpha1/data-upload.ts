import type { ByteProgress } from '../meta/byte-progress.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Duration, Int64, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { DataMovementPhase } from '../phases/data-movement-phase.ts';
import type { NodeOS } from '../phases/node-os.ts';
import type { ChangedBlocksRead } from './changed-blocks-read.ts';

/** Upload of one volume snapshot to a repository. A node-agent processes it. */
export interface DataUpload extends KubeObject {
  spec: DataUploadSpec;
  status?: DataUploadStatus;
}

/** Which snapshot is uploaded, and to which repository. */
export interface DataUploadSpec {
  /** Type of the snapshot. Only `CSI` is supported. */
  snapshotType: string;
  /** The CSI snapshot to upload. Required with `snapshotType: CSI`. */
  csiSnapshot?: CSISnapshot | null;
  /** Name of the PersistentVolumeClaim that the snapshot was taken of. */
  sourcePVC: string;
  /** Namespace of the PersistentVolumeClaim and of the VolumeSnapshot. It determines the repository. */
  sourceNamespace: string;
  /**
   * Data mover that uploads the data. Empty, `velero` or `velero-fs`: the built-in one. `velero-block`: the built-in one, for volumes of
   * mode Block only. Lateen ignores objects with any other name.
   */
  datamover?: string;
  /** Name of the BackupStorageLocation whose repository stores the data. */
  backupStorageLocation: string;
  /**
   * Settings of the data mover, as text, such as `ParallelFilesUpload` (files that are read in parallel), `KeepBaseSnapshot` (`true`: read
   * only changed blocks next time) or `splitter`. Empty: defaults.
   */
  dataMoverConfig?: Record<string, string> | null;
  /**
   * Snapshot in the repository that this one builds on. Empty or `auto`: the newest one of the volume. `none`: everything is read.
   * Otherwise the ID of a snapshot, as in `status.snapshotID`.
   */
  parentSnapshot?: string;
  /** Set it to `true` to cancel the upload. No effect after it has ended. Default: `false`. */
  cancel?: boolean;
  /**
   * How long one internal step may take, such as waiting for the snapshot to be ready, as a duration such as `10m`. After that, the upload
   * fails.
   */
  operationTimeout: Duration;
}

/** A CSI snapshot. */
export interface CSISnapshot {
  /** Name of the VolumeSnapshot, in the source namespace. */
  volumeSnapshot: string;
  /** Name of the StorageClass of the claim that the snapshot was taken of. */
  storageClass: string;
  /** Name of the VolumeSnapshotClass that the snapshot was taken with. Empty: the class of the VolumeSnapshot itself. */
  snapshotClass?: string;
  /** Name of the CSI driver that took the snapshot. Empty: not known. */
  driver?: string;
}

/** Progress and result of the upload. Only node-agents write it. */
export interface DataUploadStatus {
  /**
   * `New` (or empty): no node-agent has accepted it. `Accepted`: a volume is created from the snapshot. `Prepared`: it waits for a free
   * slot on its node. `InProgress`: data is transferred. `Canceling`: it is being cancelled. `Completed`, `Failed`, `Canceled`: it has
   * ended.
   */
  phase?: DataMovementPhase;
  /** Path of the volume in the data mover's pod. */
  path?: string;
  /** ID of the snapshot in the repository. A DataDownload names it. */
  snapshotID?: string;
  /** Values that a data mover needs again for the restore. The built-in one writes none that users have to know. */
  dataMoverResult?: Record<string, string> | null;
  /** Why the upload is in its phase. After a failure: the cause, and what to do. */
  message?: string;
  /** When the transfer of data started. */
  startTimestamp?: Timestamp | null;
  /** When the upload ended, successfully or not. */
  completionTimestamp?: Timestamp | null;
  /** Bytes uploaded so far, and in total. */
  progress?: ByteProgress;
  /** Name of the node that runs the transfer. */
  node?: string;
  /** Operating system of that node: `linux` or `windows`. */
  nodeOS?: NodeOS;
  /** Name of the node whose node-agent accepted the upload and prepares the snapshot. */
  acceptedByNode?: string;
  /** When a node-agent accepted the upload. */
  acceptedTimestamp?: Timestamp | null;
  /** Bytes that were new or had changed since the snapshot before. Absent: not known. */
  incrementalBytes?: Int64;
  /** How much of a block volume was read. Set at the end, if the upload asked the CSI driver for changed blocks. */
  changedBlocks?: ChangedBlocksRead;
}

export const dataUploadType = veleroType<DataUpload>('v2alpha1', 'DataUpload', 'datauploads');
