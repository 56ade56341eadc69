import type { ByteProgress } from '../meta/byte-progress.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Duration, Int64, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { DataMovementPhase } from '../phases/data-movement-phase.ts';
import type { NodeOS } from '../phases/node-os.ts';
import type { RestoreThroughput } from './restore-throughput.ts';

/** Restore of one volume from a repository. A node-agent processes it. */
export interface DataDownload extends KubeObject {
  spec: DataDownloadSpec;
  status?: DataDownloadStatus;
}

/** Which data is restored, and into which volume. */
export interface DataDownloadSpec {
  /** The PersistentVolumeClaim that the data is restored into. */
  targetVolume: TargetVolume;
  /** Name of the BackupStorageLocation whose repository has the data. */
  backupStorageLocation: string;
  /**
   * Data mover that restores the data. Empty, `velero` or `velero-fs`: the built-in one. `velero-block`: the built-in one, for volumes of
   * mode Block only. Lateen ignores objects with any other name.
   */
  datamover?: string;
  /** ID of the snapshot in the repository, from `status.snapshotID` of the DataUpload. */
  snapshotID: string;
  /** Namespace that the volume was backed up from. It determines the repository, also if the claim is restored into another namespace. */
  sourceNamespace: string;
  /**
   * Settings of the data mover, as text: `ParallelFilesDownload`, `WriteSparseFiles`, `DeleteExtraFiles`, `DirectRestore`,
   * `SkipZeroBlocks`. Empty: defaults.
   */
  dataMoverConfig?: Record<string, string>;
  /** Set it to `true` to cancel the download. No effect after it has ended. Default: `false`. */
  cancel?: boolean;
  /** How long one internal step may take, such as the binding of a volume, as a duration such as `10m`. After that, the download fails. */
  operationTimeout: Duration;
  /** Operating system of the node that runs the data mover: `linux` or `windows`. Empty or `auto`: linux. */
  nodeOS?: NodeOS;
  /**
   * How data gets into a claim that has a volume already. `full`: all data is written. `incremental`: only what differs. Empty: the claim
   * must not have a volume, and gets a new one.
   */
  restoreType?: string;
  /** Size of the data in bytes, used for the size of a cache volume. Empty or 0: not known. */
  snapshotSize?: Int64;
}

/** The volume that a download restores into. */
export interface TargetVolume {
  /** Name of the PersistentVolumeClaim. */
  pvc: string;
  /** Name of the PersistentVolume. Empty: the provisioner creates one. With restoreType: the volume that the claim has. */
  pv: string;
  /** Namespace of the PersistentVolumeClaim. */
  namespace: string;
}

/** Progress and result of the download. Only node-agents write it. */
export interface DataDownloadStatus {
  /**
   * `New` (or empty): no node-agent has accepted it. `Accepted`: the volume is being prepared. `Prepared`: it waits for a free slot on its
   * node. `InProgress`: data is transferred. `Canceling`: it is being cancelled. `Completed`, `Failed`, `Canceled`: it has ended.
   */
  phase?: DataMovementPhase;
  /** Why the download is in its phase. After a failure: the cause, and what to do. */
  message?: string;
  /** When the transfer of data started. */
  startTimestamp?: Timestamp | null;
  /** When the download ended, successfully or not. */
  completionTimestamp?: Timestamp | null;
  /** Bytes restored so far, and in total. */
  progress?: ByteProgress;
  /** Speed of the restore, and what limits it. */
  throughput?: RestoreThroughput;
  /** Name of the node that runs the transfer. */
  node?: string;
  /** Name of the node whose node-agent accepted the download and prepares the volume. */
  acceptedByNode?: string;
  /** When a node-agent accepted the download. */
  acceptedTimestamp?: Timestamp | null;
}

export const dataDownloadType = veleroType<DataDownload>('v2alpha1', 'DataDownload', 'datadownloads');
