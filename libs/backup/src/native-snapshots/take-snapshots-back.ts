import type { Backup } from '@lateen/api-types';
import type { BackupStore, NativeSnapshot } from '@lateen/backup-store';
import { AppError } from '@lateen/errors';
import {
  type DeleteSnapshotsPorts,
  deleteNativeSnapshots,
  isBeyondReach,
  snapshotsLeftText,
  snapshotTags,
} from '@lateen/native-snapshots';

export interface TakeSnapshotsBackOptions {
  /** The store with the file that lists the snapshots; absent when it cannot be read. */
  files: Pick<BackupStore, 'getVolumeSnapshots'> | undefined;
  /** The snapshots that the run itself knows. */
  known: readonly NativeSnapshot[] | undefined;
}

/**
 * Deletes the native snapshots of a cancelled backup. Safe to repeat.
 * @returns whether all known snapshots are deleted; otherwise their file must stay, so that they can be deleted with the Backup when their
 *   location and its plugin exist again
 * @throws NATIVE_SNAPSHOTS_REMAIN when another attempt may help; errors of reading their file; the signal's reason
 */
export async function takeSnapshotsBack(
  ports: DeleteSnapshotsPorts,
  backup: Backup,
  { files, known }: TakeSnapshotsBackOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { name = '', uid } = backup.metadata;
  const stored = known ?? (await files?.getVolumeSnapshots(name, { signal })) ?? [];
  const ours = stored.filter(({ spec }) => spec.backupUID === uid);
  for (const begun of ours.filter(({ status }) => status.phase === 'New')) tellBegun(ports, backup, begun);
  const left = await deleteNativeSnapshots(ports, ours, signal);
  if (left.length === 0) return true;
  const text = snapshotsLeftText(left).join('; ');
  if (!left.every(isBeyondReach)) throw new AppError('NATIVE_SNAPSHOTS_REMAIN', text, { retry: 'later' });
  const nextStep = 'delete the backup when its VolumeSnapshotLocations and their plugins are there again';
  ports.log.warn({ backup: name, reason: text, nextStep }, 'native snapshots of a backup cannot be deleted');
  return false;
}

/** The process died before the provider's answer: only the provider knows whether the snapshot exists. */
function tellBegun({ log }: DeleteSnapshotsPorts, backup: Backup, { spec }: NativeSnapshot): void {
  const { providerVolumeID: volumeID, location, persistentVolumeName: volume } = spec;
  const { 'velero.io/backup': name, 'velero.io/pv': ofVolume } = snapshotTags(backup, volume);
  const fields = { backup: name, volumeID, volumeSnapshotLocation: location };
  const nextStep = `look at the provider for tags velero.io/backup=${name} and velero.io/pv=${ofVolume}, and delete it`;
  log.warn({ ...fields, nextStep }, 'a native snapshot was requested, and it is not known whether it exists');
}
