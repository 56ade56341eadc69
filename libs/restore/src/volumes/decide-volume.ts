import type { PersistentVolume } from '@lateen/api-types';
import type { BackupMethod, BackupVolumeInfo } from '@lateen/backup-store';

/** How a volume is restored (backup-and-restore.md section 13). */
export type VolumeWay =
  /** The claim gets a new volume, which a mover or a snapshot fills, or which stays empty. */
  | { way: 'provision'; reason: string }
  /** The PersistentVolume is created as it is, without a binding. */
  | { way: 'as-is'; reason: string }
  /** A VolumeSnapshotter creates a new volume from the snapshot, and the PersistentVolume is created for it. */
  | { way: 'native-snapshot' };

/** How a volume was backed up, as far as it is known. */
export type VolumeBackedUp =
  /** From the volume info of the backup; without a method the volume was left out. */
  | { method: BackupMethod | undefined }
  /** The backup has no information about this volume. */
  | undefined;

/** How a volume was backed up, by its volume info; a method that this version does not know counts as none. */
export const backedUpAs = (info: BackupVolumeInfo | undefined): VolumeBackedUp =>
  info === undefined ? undefined : { method: info.backupMethod };

const provisionReasons = {
  PodVolumeBackup: 'its claim gets a new volume, because it has a pod volume backup to be restored',
  CSISnapshot: 'its claim gets a new volume, because it has a CSI snapshot or its data was moved',
  none: 'its claim gets a new volume, because it has no snapshot and its reclaim policy is Delete',
} as const;

/** Pure. When the data has no volume to be restored into, the old volume is never reused: it may have another owner by now. */
export function decideVolume({ spec }: PersistentVolume, backedUp?: VolumeBackedUp): VolumeWay {
  const method = backedUp?.method;
  switch (method) {
    case 'NativeSnapshot':
      return { way: 'native-snapshot' };
    case 'PodVolumeBackup':
    case 'CSISnapshot':
      return { way: 'provision', reason: provisionReasons[method] };
    default:
      // Delete is the default of Kubernetes.
      return (spec.persistentVolumeReclaimPolicy ?? 'Delete') === 'Delete'
        ? { way: 'provision', reason: provisionReasons.none }
        : { way: 'as-is', reason: 'it has no snapshot and its reclaim policy is not Delete' };
  }
}
