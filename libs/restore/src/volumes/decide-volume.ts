import type { PersistentVolume } from '@lateen/api-types';
import type { BackupMethod, BackupVolumeInfo } from '@lateen/backup-store';

/** How a volume comes back (backup-and-restore.md section 13). */
export type VolumeWay =
  /** Its claim gets a new one: a mover, a snapshot or nobody fills it. */
  | { way: 'provision'; reason: string }
  /** It is created as it is, bound to nothing. */
  | { way: 'as-is'; reason: string }
  /** A new volume is made from its snapshot by a VolumeSnapshotter, and it is created on that. */
  | { way: 'native-snapshot' };

/** What is known of how a volume was backed up. */
export type VolumeBackedUp =
  /** By the volume info of the backup; without a method the volume was left out. */
  | { method: BackupMethod | undefined }
  /** The backup says nothing of this volume. */
  | undefined;

/** Of how a volume was backed up, whoever reads a volume info: a method that this version does not know is none. */
export const backedUpAs = (info: BackupVolumeInfo | undefined): VolumeBackedUp =>
  info === undefined ? undefined : { method: info.backupMethod };

const provisionReasons = {
  PodVolumeBackup: 'its claim gets a new volume, because it has a pod volume backup to be restored',
  CSISnapshot: 'its claim gets a new volume, because it has a CSI snapshot or its data was moved',
  none: 'its claim gets a new volume, because it has no snapshot and its reclaim policy is Delete',
} as const;

/** Pure. Data that has no volume to come back into never makes the old one be used: that may be somebody's by now. */
export function decideVolume({ spec }: PersistentVolume, backedUp?: VolumeBackedUp): VolumeWay {
  const method = backedUp?.method;
  switch (method) {
    case 'NativeSnapshot':
      return { way: 'native-snapshot' };
    case 'PodVolumeBackup':
    case 'CSISnapshot':
      return { way: 'provision', reason: provisionReasons[method] };
    default:
      // Delete is what Kubernetes takes when nothing is said.
      return (spec.persistentVolumeReclaimPolicy ?? 'Delete') === 'Delete'
        ? { way: 'provision', reason: provisionReasons.none }
        : { way: 'as-is', reason: 'it has no snapshot and its reclaim policy is not Delete' };
  }
}
