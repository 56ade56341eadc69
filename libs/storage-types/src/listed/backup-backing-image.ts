import type { Int64, Integer, KubeObject, Timestamp } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/**
 * A backup of a backing image in a backup target. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list it.
 */
export interface BackupBackingImage extends KubeObject {
  spec: BackupBackingImageSpec;
  status?: BackupBackingImageStatus;
}

/** Which backing image is backed up, and to which target. */
export interface BackupBackingImageSpec {
  /** Name of the BackingImage to back up. */
  backingImage: string;
  /** Name of the BackupTarget that stores the backup. */
  backupTargetName?: string | null;
  /** Labels that are stored with the backup. */
  labels?: Record<string, string>;
  /** When the status was last requested to be read from the target. */
  syncRequestedAt?: Timestamp | null;
  /** `true`: a user asked for the backup. `false`: the volume manager created it by itself. */
  userCreated: boolean;
}

/** Progress of the backup, and what the target has of it. */
export interface BackupBackingImageStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** State of the backup, such as `InProgress`, `Completed` or `Error`. */
  state?: string;
  /** Progress in percent, 0 to 100. */
  progress?: Integer;
  /** Why the backup failed. Empty: no error. */
  error?: string;
  /** URL of the backup in the target. */
  url?: string;
  /** Name of the BackingImage that was backed up. */
  backingImage?: string;
  /** When the backup was completed. */
  backupCreatedAt?: TimeText;
  /** Size of the image in bytes. */
  size?: Int64;
  /** Checksum of the image. */
  checksum?: string;
  /** How blocks are compressed: `none`, `lz4` or `gzip`. */
  compressionMethod?: string;
  /** Labels that are stored with the backup. */
  labels?: Record<string, string> | null;
  /** Errors and notes about the backup. Key: type of the message. */
  messages?: Record<string, string> | null;
  /** Address of the pod that makes the backup. */
  managerAddress?: string;
  /** Name of the Secret with the key that encrypts the content. Empty: it is not encrypted. */
  secret?: string;
  /** Namespace of that Secret. */
  secretNamespace?: string;
  /** When the status was last read from the target. */
  lastSyncedAt?: Timestamp | null;
}

export const backupBackingImageType = longhornType<BackupBackingImage>('BackupBackingImage', 'backupbackingimages');
