import type { KubeObject, Timestamp } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** A volume that has backups in a backup target. The volume itself may no longer exist. */
export interface BackupVolume extends KubeObject {
  spec: BackupVolumeSpec;
  status?: BackupVolumeStatus;
}

/** Which volume in which backup target this is. */
export interface BackupVolumeSpec {
  /** Name of the BackupTarget that has the backups. */
  backupTargetName?: string | null;
  /** Name of the volume that was backed up. */
  volumeName?: string;
  /** When the status was last requested to be read from the target. Set it to the current time to have it read at once. */
  syncRequestedAt?: Timestamp | null;
}

/** What the backup target has of the volume. Sizes are decimal numbers of bytes, as text. */
export interface BackupVolumeStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** Name of the newest backup of the volume. Empty: it has no complete backup. */
  lastBackupName?: string;
  /** When the snapshot of the newest backup was taken. Empty: no complete backup. */
  lastBackupAt?: TimeText;
  /** Size of all blocks that are stored for the volume, before compression. */
  dataStored?: string;
  /** Size of the volume at its last backup. */
  size?: string;
  /** When the first backup of the volume was made. */
  createdAt?: TimeText;
  /** Labels of the newest backup. */
  labels?: Record<string, string> | null;
  /** Errors and notes about the volume in the target. Key: type of the message, such as `error`. */
  messages?: Record<string, string> | null;
  /** Name of the StorageClass that the volume had. Empty: none, or not known. */
  storageClassName?: string;
  /** Name of the BackingImage below the volume, which Longhorn supports. Empty: none. */
  backingImageName?: string;
  /** Checksum of that BackingImage. Empty: no backing image. */
  backingImageChecksum?: string;
  /** When the record of the volume in the target last changed. */
  lastModificationTime?: Timestamp | null;
  /** When the status was last read from the target. */
  lastSyncedAt?: Timestamp | null;
}

export const backupVolumeType = longhornType<BackupVolume>('BackupVolume', 'backupvolumes');
