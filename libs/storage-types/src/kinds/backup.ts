import type { Integer, KubeObject, Timestamp } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';
import { storageLabels } from '../names/labels.ts';
import type { CompressionMethod } from './volume-choices.ts';

/** A backup of a volume in a backup target, made from a snapshot. Deleting this object deletes the backup in the target. */
export interface Backup extends KubeObject {
  spec: BackupSpec;
  status?: BackupStatus;
}

/** `full` uploads blocks again that are there already. */
export const backupModes = ['full', 'incremental'] as const;
export type BackupMode = (typeof backupModes)[number];

/** The empty string is a Backup that nobody has begun with. */
export const backupStates = ['', 'Pending', 'InProgress', 'Completed', 'Error', 'Unknown', 'Deleting'] as const;
/** @unchecked */
export type BackupState = (typeof backupStates)[number];

/** Which snapshot is backed up, and how. */
export interface BackupSpec {
  /** Name of the Snapshot to back up. Empty in objects for backups that were found in the target. */
  snapshotName?: string;
  /** Labels that are stored with the backup in the target. Empty: none but those that the volume manager adds. */
  labels?: Record<string, string>;
  /**
   * Which blocks are uploaded. `incremental`: those that have changed since the last backup and are not in the target. `full`: all blocks,
   * also those that are in the target already. Default: `incremental`.
   */
  backupMode?: BackupMode;
  /**
   * Size of a block in bytes: `2097152` (2 MiB) or `16777216` (16 MiB). `-1`: not known, for a backup in the target that cannot be read.
   * Empty: the block size of the volume.
   * @format int64
   */
  backupBlockSize?: '-1' | '2097152' | '16777216';
  /** When the status was last requested to be read from the target. Set it to the current time to have it read at once. */
  syncRequestedAt?: Timestamp | null;
}

/** Progress of the backup, and what the target has of it. Sizes are decimal numbers of bytes, as text. */
export interface BackupStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /**
   * Empty: not started. `Pending`: it waits, for example for the snapshot. `InProgress`: data is uploaded. `Completed`: the backup can be
   * restored. `Error`: it has failed, see error. `Unknown`: the volume manager cannot determine its progress. `Deleting`: it is being
   * deleted.
   */
  state?: BackupState;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** Why the backup failed. Empty: no error. */
  error?: string;
  /** Address of the replica that the data is read from. */
  replicaAddress?: string;
  /** URL of the backup, for `spec.fromBackup` of a new Volume. */
  url?: string;
  /** Name of the BackupTarget that has the backup. */
  backupTargetName?: string;
  /** Name of the snapshot that was backed up. */
  snapshotName?: string;
  /** When that snapshot was taken. */
  snapshotCreatedAt?: TimeText;
  /** When the backup was completed. Empty: it is not complete. */
  backupCreatedAt?: TimeText;
  /** Size of all blocks of the backup, before compression. */
  size?: string;
  /** Size of the blocks that were not in the target before, after compression. */
  newlyUploadDataSize?: string;
  /** Size of the blocks that were uploaded although the target had them (backupMode full), after compression. */
  reUploadedDataSize?: string;
  /** Labels that are stored with the backup in the target. */
  labels?: Record<string, string> | null;
  /** Errors and notes about the backup. Key: type of the message, such as `error`. */
  messages?: Record<string, string> | null;
  /** Name of the volume that was backed up. */
  volumeName?: string;
  /** Size of that volume. */
  volumeSize?: string;
  /** When that volume was created. */
  volumeCreated?: TimeText;
  /** Name of the BackingImage below that volume, which Longhorn supports. Empty: none. */
  volumeBackingImageName?: string;
  /**
   * How blocks are compressed: `none`, `lz4` or `gzip`.
   * @unchecked
   */
  compressionMethod?: CompressionMethod;
  /** When the status was last read from the target. */
  lastSyncedAt?: Timestamp | null;
}

export const backupType = longhornType<Backup>('Backup', 'backups');

/** Name of the volume that it is of: what it is labelled with, or else what was found with it on its target; "" when neither says. */
export const backupVolumeNameOf = ({ metadata, status }: Backup): string =>
  metadata.labels?.[storageLabels.backupVolume] ?? status?.volumeName ?? '';

/** Name of the backup target that it is on, as {@link backupVolumeNameOf}. */
export const backupTargetNameOf = ({ metadata, status }: Backup): string =>
  metadata.labels?.[storageLabels.backupTarget] ?? status?.backupTargetName ?? '';
