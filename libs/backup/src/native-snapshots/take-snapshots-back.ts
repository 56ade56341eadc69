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
  /** Where they are written down; absent where nobody can read it. */
  files: Pick<BackupStore, 'getVolumeSnapshots'> | undefined;
  /** What the run that took them knows itself. */
  known: readonly NativeSnapshot[] | undefined;
}

/**
 * Deletes the native snapshots of a backup that is not to be. Safe to repeat.
 * @returns whether all are gone, as far as anybody knows; else their file must stay, for whoever deletes the Backup when their location
 *   and its plugin are there again
 * @throws NATIVE_SNAPSHOTS_REMAIN when another try may help; what reading their file throws; the signal's reason
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

/** The process that asked for it died before the answer: only the provider knows. */
function tellBegun({ log }: DeleteSnapshotsPorts, backup: Backup, { spec }: NativeSnapshot): void {
  const { providerVolumeID: volumeID, location, persistentVolumeName: volume } = spec;
  const { 'velero.io/backup': name, 'velero.io/pv': ofVolume } = snapshotTags(backup, volume);
  const fields = { backup: name, volumeID, volumeSnapshotLocation: location };
  const nextStep = `look at the provider for tags velero.io/backup=${name} and velero.io/pv=${ofVolume}, and delete it`;
  log.warn({ ...fields, nextStep }, 'a native snapshot was asked for, and nobody knows whether there is one');
}
