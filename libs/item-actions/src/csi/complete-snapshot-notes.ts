import { annotations, type VolumeSnapshot, volumeSnapshotType } from '@lateen/api-types';
import { isNotFound, keyOf } from '@lateen/kube';
import type { OperationContext } from '../contract/backup-item-action.ts';
import { type SnapshotPair, snapshotsOfBackup, withEach } from './snapshots-of-backup.ts';

/**
 * Runs before the VolumeSnapshots of a backup are read again for its archive: some drivers report the size only of a ready
 * snapshot, and a restore reads it from the annotations. Safe to repeat.
 * @throws AppError SNAPSHOTS_REMAIN naming those that could not be written; the signal's reason
 */
export async function completeSnapshotNotes(
  { kube, backup }: Pick<OperationContext, 'kube' | 'backup'>,
  signal: AbortSignal,
): Promise<void> {
  if (backup.spec.snapshotMoveData === true) return;
  const complete = async ({ snapshot }: SnapshotPair) => {
    const size = snapshot?.status?.restoreSize;
    if (snapshot === undefined || size === undefined || sizeNoted(snapshot) === size) return;
    const body = { metadata: { annotations: { [annotations.csiVolumeSnapshotRestoreSize]: size } } };
    try {
      await kube.patch(volumeSnapshotType, keyOf(snapshot), { type: 'merge', body }, { signal });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };
  await withEach(await snapshotsOfBackup(kube, backup, signal), complete, signal);
}

const sizeNoted = ({ metadata }: VolumeSnapshot): string | undefined =>
  metadata.annotations?.[annotations.csiVolumeSnapshotRestoreSize];
