import type { ByteProgress } from '../meta/byte-progress.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { ObjectReference } from '../meta/object-reference.ts';
import type { Int64, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { DataMovementPhase } from '../phases/data-movement-phase.ts';
import type { UploaderType } from '../phases/uploader-type.ts';
import type { RestoreThroughput } from '../v2alpha1/restore-throughput.ts';

/** Asks a node-agent to fill one volume of a pod that waits for it. */
export interface PodVolumeRestore extends KubeObject {
  spec: PodVolumeRestoreSpec;
  status?: PodVolumeRestoreStatus;
}

/** What to restore and into which volume. */
export interface PodVolumeRestoreSpec {
  /** The pod. */
  pod: ObjectReference;
  /** Name of the volume in the pod. */
  volume: string;
  /** Name of the BackupStorageLocation that holds the repository. */
  backupStorageLocation: string;
  /** Address of a restic repository; an empty string for kopia. */
  repoIdentifier: string;
  /** Engine to use; an empty one reads as kopia. */
  uploaderType?: UploaderType;
  /** Identifier of the data in the repository, as the backup reported it. */
  snapshotID: string;
  /** Namespace the volume was backed up from; the repository is chosen by it. */
  sourceNamespace: string;
  /** Settings for the engine, for example WriteSparseFiles. */
  uploaderSettings?: Record<string, string> | null;
  /** Set to true to stop the restore; works at any time before it ends. */
  cancel?: boolean;
  /** Size of the data in bytes. */
  snapshotSize?: Int64;
  /** How the data goes into a volume that has files already: "full" writes each file, "incremental" those that differ. */
  restoreType?: string;
}

/** How the restore of the volume goes; written by node-agents only. */
export interface PodVolumeRestoreStatus {
  /** Where in its life the restore is; absent means New. */
  phase?: DataMovementPhase;
  /** Why the restore is in its phase, and what to do about it when it failed. */
  message?: string;
  /** When the transfer began. */
  startTimestamp?: Timestamp | null;
  /** When the restore ended, well or not. */
  completionTimestamp?: Timestamp | null;
  /** When a node-agent took the restore on. */
  acceptedTimestamp?: Timestamp | null;
  /** Bytes restored so far and bytes to restore. */
  progress?: ByteProgress;
  /** How fast the volume comes back, and what keeps it from coming faster. */
  throughput?: RestoreThroughput;
  /** Node that runs the transfer. */
  node?: string;
}

export const podVolumeRestoreType = veleroType<PodVolumeRestore>('v1', 'PodVolumeRestore', 'podvolumerestores');
