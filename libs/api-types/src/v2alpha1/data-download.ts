import type { ByteProgress } from '../meta/byte-progress.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { Duration, Int64, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { DataMovementPhase } from '../phases/data-movement-phase.ts';
import type { NodeOS } from '../phases/node-os.ts';
import type { RestoreThroughput } from './restore-throughput.ts';

/** Asks a node-agent to bring one volume back from a backup repository, and tells how that goes. */
export interface DataDownload extends KubeObject {
  spec: DataDownloadSpec;
  status?: DataDownloadStatus;
}

/** What to download and into which volume. */
export interface DataDownloadSpec {
  /** The claim that shall receive the data. */
  targetVolume: TargetVolume;
  /** Name of the BackupStorageLocation that holds the repository. */
  backupStorageLocation: string;
  /** Data mover that shall do the work. Empty, "velero", "velero-fs" or (for volumes of mode Block) "velero-block" means the built-in one; objects for others are left alone. */
  datamover?: string;
  /** Identifier of the data in the repository, as the upload reported it. */
  snapshotID: string;
  /** Namespace the volume was backed up from; the repository is chosen by it, also when the restore renames namespaces. */
  sourceNamespace: string;
  /** Settings for the data mover, for example WriteSparseFiles, ParallelFilesDownload or DirectRestore. */
  dataMoverConfig?: Record<string, string>;
  /** Set to true to stop the download; works at any time before it ends. */
  cancel?: boolean;
  /** Longest wait for a single internal step, such as a volume being bound. */
  operationTimeout: Duration;
  /** Operating system the data mover shall run on. */
  nodeOS?: NodeOS;
  /**
   * How a claim that has a volume gets the data into it: "full" writes all of it, "incremental" what differs. Absent, the claim has no
   * volume yet and gets a new one.
   */
  restoreType?: string;
  /** Size of the data in bytes; helps to choose the size of a cache volume. */
  snapshotSize?: Int64;
}

/** Names the volume a download fills. */
export interface TargetVolume {
  /** Name of the target PersistentVolumeClaim. */
  pvc: string;
  /** Name of the target PersistentVolume; may be empty, which leaves it to the provisioner. With restoreType, the volume that the claim has. */
  pv: string;
  /** Namespace of the target claim. */
  namespace: string;
}

/** How the download goes; written by node-agents only. */
export interface DataDownloadStatus {
  /** Where in its life the download is; absent means New. */
  phase?: DataMovementPhase;
  /** Why the download is in its phase, and what to do about it when it failed. */
  message?: string;
  /** When the transfer began. */
  startTimestamp?: Timestamp | null;
  /** When the download ended, well or not. */
  completionTimestamp?: Timestamp | null;
  /** Bytes restored so far and bytes to restore. */
  progress?: ByteProgress;
  /** How fast the volume comes back, and what keeps it from coming faster. */
  throughput?: RestoreThroughput;
  /** Node that runs the transfer. */
  node?: string;
  /** Node whose agent took the download on and exposes the volume. */
  acceptedByNode?: string;
  /** When the download was taken on. */
  acceptedTimestamp?: Timestamp | null;
}

export const dataDownloadType = veleroType<DataDownload>('v2alpha1', 'DataDownload', 'datadownloads');
