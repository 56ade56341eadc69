import type { KubeObject, Timestamp } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { TimeText } from '../meta/scalars.ts';

/** A volume that has backups in a backup target. */
export interface BackupVolume extends KubeObject {
  spec: BackupVolumeSpec;
  status?: BackupVolumeStatus;
}

/** Which volume it is. */
export interface BackupVolumeSpec {
  /** Name of the BackupTarget. */
  backupTargetName?: string | null;
  /** Name of the volume in the target. */
  volumeName?: string;
  /** When the status was last asked to be read from the target. */
  syncRequestedAt?: Timestamp | null;
}

/** What the target has of the volume. Numbers of bytes are decimal texts. */
export interface BackupVolumeStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Name of the newest backup. */
  lastBackupName?: string;
  /** When the snapshot of the newest backup was taken. */
  lastBackupAt?: TimeText;
  /** Bytes that all backups of the volume take. */
  dataStored?: string;
  /** Bytes of the volume. */
  size?: string;
  /** When the first backup was made. */
  createdAt?: TimeText;
  /** Labels of the newest backup. */
  labels?: Record<string, string> | null;
  /** Remarks on the volume, by their kind. */
  messages?: Record<string, string> | null;
  /** StorageClass of the volume. */
  storageClassName?: string;
  /** BackingImage below the volume. */
  backingImageName?: string;
  /** Checksum of that BackingImage. */
  backingImageChecksum?: string;
  /** When the target's file of the volume last changed. */
  lastModificationTime?: Timestamp | null;
  /** When the status was last read from the target. */
  lastSyncedAt?: Timestamp | null;
}

export const backupVolumeType = longhornType<BackupVolume>('BackupVolume', 'backupvolumes');
