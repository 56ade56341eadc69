import type { ByteProgress } from '../meta/byte-progress.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Duration, Int64, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { DataMovementPhase } from '../phases/data-movement-phase.ts';
import type { NodeOS } from '../phases/node-os.ts';
import type { ChangedBlocksRead } from './changed-blocks-read.ts';

/** Asks a node-agent to move one volume snapshot into a backup repository, and tells how that goes. */
export interface DataUpload extends KubeObject {
  spec: DataUploadSpec;
  status?: DataUploadStatus;
}

/** What to upload and where to. */
export interface DataUploadSpec {
  /** Kind of the snapshot; only "CSI" is known. */
  snapshotType: string;
  /** The CSI snapshot to read; needed when snapshotType is "CSI". */
  csiSnapshot?: CSISnapshot | null;
  /** Name of the PersistentVolumeClaim the snapshot was taken of. */
  sourcePVC: string;
  /** Namespace the volume lives in; the claim and the VolumeSnapshot are found there, and the repository is chosen by it. */
  sourceNamespace: string;
  /** Data mover that shall do the work. Empty, "velero", "velero-fs" or (for volumes of mode Block) "velero-block" means the built-in one; objects for others are left alone. */
  datamover?: string;
  /** Name of the BackupStorageLocation that holds the repository. */
  backupStorageLocation: string;
  /** Settings for the data mover, for example ParallelFilesUpload. */
  dataMoverConfig?: Record<string, string> | null;
  /** Snapshot that this one builds on: its ID, "none" to read everything, "auto" or empty for the last one of the volume. */
  parentSnapshot?: string;
  /** Set to true to stop the upload; works at any time before it ends. */
  cancel?: boolean;
  /** Longest wait for a single internal step, such as a snapshot becoming ready. */
  operationTimeout: Duration;
}

/** Names the CSI snapshot of an upload. */
export interface CSISnapshot {
  /** Name of the VolumeSnapshot in the source namespace. */
  volumeSnapshot: string;
  /** StorageClass of the claim the snapshot was taken of. */
  storageClass: string;
  /** VolumeSnapshotClass the snapshot was made with. */
  snapshotClass?: string;
  /** CSI driver that owns the snapshot. */
  driver?: string;
}

/** How the upload goes; written by node-agents only. */
export interface DataUploadStatus {
  /** Where in its life the upload is; absent means New. */
  phase?: DataMovementPhase;
  /** Path of the volume inside the data mover's pod. */
  path?: string;
  /** Identifier of the result in the repository, which a later download names. */
  snapshotID?: string;
  /** What a data mover wants to be kept for the restore. */
  dataMoverResult?: Record<string, string> | null;
  /** Why the upload is in its phase, and what to do about it when it failed. */
  message?: string;
  /** When the transfer began. */
  startTimestamp?: Timestamp | null;
  /** When the upload ended, well or not. */
  completionTimestamp?: Timestamp | null;
  /** Bytes moved so far and bytes to move. */
  progress?: ByteProgress;
  /** Node that runs the transfer. */
  node?: string;
  /** Operating system of that node. */
  nodeOS?: NodeOS;
  /** Node whose agent took the upload on and exposes the snapshot. */
  acceptedByNode?: string;
  /** When the upload was taken on. */
  acceptedTimestamp?: Timestamp | null;
  /** Bytes that were new or changed since the previous upload of the same claim. */
  incrementalBytes?: Int64;
  /** How much of the volume was read, where changed blocks were asked for; the data mover tells it at the end. */
  changedBlocks?: ChangedBlocksRead;
}

export const dataUploadType = veleroType<DataUpload>('v2alpha1', 'DataUpload', 'datauploads');
