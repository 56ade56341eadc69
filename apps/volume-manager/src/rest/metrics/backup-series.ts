import { type Backup, backupLabels, storageLabels } from '@lateen/storage-types';
import { isOwned, nameOf, numberOf, type Series } from './series.ts';

/** Numbered as in Longhorn; a deleted backup, or one in a state of a later version, is unknown. */
const backupStates: Readonly<Record<string, number>> = { '': 0, Pending: 1, InProgress: 2, Completed: 3, Error: 4 };
const unknownBackupState = 5;

/** One sample for each backup. */
const perBackup = (name: string, help: string, value: (backup: Backup) => number): Series => ({
  name,
  help,
  labels: ['volume', 'backup', 'recurring_job'],
  samples: (reader, node) =>
    reader
      .list('backups')
      .filter(isOwned(node))
      .map((backup) => ({
        labels: {
          volume: backup.status?.volumeName || (backup.metadata.labels?.[storageLabels.backupVolume] ?? ''),
          backup: nameOf(backup),
          recurring_job: (backup.status?.labels ?? backup.spec.labels)?.[backupLabels.recurringJob] ?? '',
        },
        value: value(backup),
      })),
});

const snapshotSize: Series = {
  name: 'longhorn_snapshot_actual_size_bytes',
  help: 'Bytes that a snapshot takes on each replica',
  labels: ['volume', 'snapshot', 'user_created'],
  samples: (reader, node) =>
    reader
      .list('snapshots')
      .filter(isOwned(node))
      .map((snapshot) => ({
        labels: {
          volume: snapshot.spec.volume,
          snapshot: nameOf(snapshot),
          user_created: String(snapshot.status?.userCreated === true),
        },
        value: numberOf(snapshot.status?.size),
      })),
};

/** Of snapshots and backups. */
export const backupSeries: readonly Series[] = [
  snapshotSize,
  perBackup('longhorn_backup_actual_size_bytes', 'Bytes of the blocks of a backup', ({ status }) =>
    numberOf(status?.size),
  ),
  perBackup(
    'longhorn_backup_state',
    'State of a backup: 0 new, 1 pending, 2 in progress, 3 completed, 4 error, 5 unknown',
    ({ status }) => backupStates[status?.state ?? ''] ?? unknownBackupState,
  ),
];
