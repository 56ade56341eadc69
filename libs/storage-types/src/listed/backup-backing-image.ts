import type { Int64, Integer, KubeObject, Timestamp } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** A backup of a backing image in a backup target. The volume manager lists these and acts on none. */
export interface BackupBackingImage extends KubeObject {
  spec: BackupBackingImageSpec;
  status?: BackupBackingImageStatus;
}

/** What is to be backed up. */
export interface BackupBackingImageSpec {
  /** Name of the BackingImage. */
  backingImage: string;
  /** Name of the BackupTarget. */
  backupTargetName?: string | null;
  /** Labels to store with the backup. */
  labels?: Record<string, string>;
  /** When the status was last asked to be read from the target. */
  syncRequestedAt?: Timestamp | null;
  /** Whether somebody asked for it. */
  userCreated: boolean;
}

/** How far the backup has come. */
export interface BackupBackingImageStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** How far the backup has come. */
  state?: string;
  /** Percent done. */
  progress?: Integer;
  /** Why it failed. */
  error?: string;
  /** Address of the backup. */
  url?: string;
  /** Name of the BackingImage that was backed up. */
  backingImage?: string;
  /** When the backup was completed. */
  backupCreatedAt?: TimeText;
  /** Bytes of the image. */
  size?: Int64;
  /** Checksum of the image. */
  checksum?: string;
  /** Compression of the blocks. */
  compressionMethod?: string;
  /** Labels that are stored with the backup. */
  labels?: Record<string, string> | null;
  /** Remarks on the backup, by their kind. */
  messages?: Record<string, string> | null;
  /** Address of the pod that makes the backup. */
  managerAddress?: string;
  /** Name of the Secret with the key of the content. */
  secret?: string;
  /** Namespace of that Secret. */
  secretNamespace?: string;
  /** When the status was last read from the target. */
  lastSyncedAt?: Timestamp | null;
}

export const backupBackingImageType = longhornType<BackupBackingImage>('BackupBackingImage', 'backupbackingimages');
