import type { Integer, KubeObject, Timestamp } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';
import { storageLabels } from '../names/labels.ts';
import type { CompressionMethod } from './volume-choices.ts';

/** A backup of a volume in a backup target. */
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

/** What is to be backed up, and how. */
export interface BackupSpec {
  /** Name of the Snapshot; absent for a backup that was found in the target. */
  snapshotName?: string;
  /** Labels to store with the backup. */
  labels?: Record<string, string>;
  /** Whether blocks that are in the target already are uploaded again. */
  backupMode?: BackupMode;
  /**
   * Bytes of a block; -1 for a backup that was found in the target and cannot be read.
   * @format int64
   */
  backupBlockSize?: '-1' | '2097152' | '16777216';
  /** When the status was last asked to be read from the target. */
  syncRequestedAt?: Timestamp | null;
}

/** How far a backup has come, and what is in it. Numbers of bytes are decimal texts. */
export interface BackupStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** How far the backup has come. */
  state?: BackupState;
  /** Percent done. */
  progress?: Integer;
  /** Why it failed. */
  error?: string;
  /** Address of the replica that it is read from. */
  replicaAddress?: string;
  /** Address of the backup. */
  url?: string;
  /** Name of the BackupTarget that it is in. */
  backupTargetName?: string;
  /** Snapshot that was backed up. */
  snapshotName?: string;
  /** When that snapshot was taken. */
  snapshotCreatedAt?: TimeText;
  /** When the backup was completed. */
  backupCreatedAt?: TimeText;
  /** Bytes of its blocks. */
  size?: string;
  /** Bytes that were not in the target before. */
  newlyUploadDataSize?: string;
  /** Bytes that were uploaded although they were there. */
  reUploadedDataSize?: string;
  /** Labels that are stored with the backup. */
  labels?: Record<string, string> | null;
  /** Remarks on the backup, by their kind. */
  messages?: Record<string, string> | null;
  /** Volume that was backed up. */
  volumeName?: string;
  /** Bytes of that volume. */
  volumeSize?: string;
  /** When that volume was created. */
  volumeCreated?: TimeText;
  /** BackingImage below that volume. */
  volumeBackingImageName?: string;
  /**
   * Compression of the blocks.
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
