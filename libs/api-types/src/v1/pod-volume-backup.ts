import type { ByteProgress } from '../meta/byte-progress.ts';
import type { KubeObject } from '../meta/kube-object.ts';
import type { ObjectReference } from '../meta/object-reference.ts';
import type { Int64, Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { DataMovementPhase } from '../phases/data-movement-phase.ts';
import type { UploaderType } from '../phases/uploader-type.ts';

/** Asks a node-agent to back up one volume of a running pod through its file system. */
export interface PodVolumeBackup extends KubeObject {
  spec: PodVolumeBackupSpec;
  status?: PodVolumeBackupStatus;
}

/** What to read and where to store it. */
export interface PodVolumeBackupSpec {
  /** Node the pod runs on. */
  node: string;
  /** The pod. */
  pod: ObjectReference;
  /** Name of the volume in the pod. */
  volume: string;
  /** Name of the BackupStorageLocation that holds the repository. */
  backupStorageLocation: string;
  /** Address of a restic repository; an empty string for kopia. */
  repoIdentifier: string;
  /** Engine to use. */
  uploaderType?: UploaderType;
  /** Where the data comes from, for people and tools that look into the repository. */
  tags?: Record<string, string>;
  /** Settings for the engine, for example ParallelFilesUpload. */
  uploaderSettings?: Record<string, string> | null;
  /** Snapshot that this one builds on: its ID, "none" to read everything, "auto" or empty for the last one of the volume. */
  parentSnapshot?: string;
  /** Set to true to stop the backup; works at any time before it ends. */
  cancel?: boolean;
}

/** How the backup of the volume goes; written by node-agents only. */
export interface PodVolumeBackupStatus {
  /** Where in its life the backup is; absent means New. */
  phase?: DataMovementPhase;
  /** Path of the volume inside the data mover's pod. */
  path?: string;
  /** Identifier of the result in the repository. */
  snapshotID?: string;
  /** Why the backup is in its phase, and what to do about it when it failed. */
  message?: string;
  /** When the transfer began. */
  startTimestamp?: Timestamp | null;
  /** When the backup ended, well or not. */
  completionTimestamp?: Timestamp | null;
  /** When a node-agent took the backup on. */
  acceptedTimestamp?: Timestamp | null;
  /** Bytes moved so far and bytes to move. */
  progress?: ByteProgress;
  /** Bytes that were new or changed since the previous backup of the volume. */
  incrementalBytes?: Int64;
}

export const podVolumeBackupType = veleroType<PodVolumeBackup>('v1', 'PodVolumeBackup', 'podvolumebackups');
