import { bothEngines, notHere, rowsOf } from '../setting-definition.ts';

const snapshot = rowsOf('snapshot');
const orphan = rowsOf('orphan');
const backup = rowsOf('backup');

export const snapshotSettings = [
  snapshot.bool('freeze-filesystem-for-snapshot', 'false', 'Freezes the file system while a snapshot is taken.', {
    engines: ['v1'],
  }),
  snapshot.int('snapshot-count-warning-threshold', '100', 'Number of snapshots of a volume above which it warns.', {
    minimum: 2,
    maximum: 250,
  }),
  snapshot.text('snapshot-data-integrity', 'fast-check', 'Whether and how snapshots are compared between replicas.', {
    engines: bothEngines,
    options: ['disabled', 'enabled', 'fast-check'],
  }),
  snapshot.text('snapshot-data-integrity-cronjob', '0 0 */7 * *', 'When snapshots are compared.', {
    engines: bothEngines,
  }),
  snapshot.bool(
    'snapshot-data-integrity-immediate-check-after-snapshot-creation',
    'false',
    'Computes the sum of a snapshot as soon as it is taken.',
    { engines: bothEngines },
  ),
  snapshot.int('snapshot-max-count', '250', 'Snapshots that a volume may have.', { minimum: 2, maximum: 250 }),
] as const;

export const orphanSettings = [
  orphan.text(
    'orphan-resource-auto-deletion',
    '',
    'Orphans that are deleted automatically: replica-data, instance, separated by a semicolon.',
  ),
  orphan.int('orphan-resource-auto-deletion-grace-period', '300', 'Seconds until orphans are deleted automatically.', {
    minimum: 0,
  }),
] as const;

export const backupSettings = [
  backup.bool(
    'allow-recurring-job-while-volume-detached',
    'false',
    'Attaches a detached volume while its recurring job runs.',
  ),
  backup.bool(
    'auto-cleanup-recurring-job-backup-snapshot',
    'true',
    'Keeps only the snapshot of the last backup of a recurring job.',
  ),
  backup.bool(
    'auto-cleanup-snapshot-after-on-demand-backup-completed',
    'false',
    'Deletes the snapshot of a manual backup when the backup is complete.',
  ),
  backup.bool('auto-cleanup-when-delete-backup', 'false', 'Deletes the snapshot of a backup with the backup.'),
  backup.text('backup-compression-method', 'lz4', 'Compression of backups of volumes that name none.', {
    options: ['none', 'lz4', 'gzip'],
  }),
  backup.int('backup-concurrent-limit', '2', 'Blocks that a backup works on at once.', { minimum: 1 }),
  backup.int('backup-execution-timeout', '1', 'Minutes that one command on the backup target may take.', {
    minimum: 1,
    kept: 'work on a target has limits of its own: 5 minutes for a list, an hour for a deletion, none for a backup that continues',
  }),
  backup.int('default-backup-block-size', '2', 'Size of the blocks of backups, in MiB.', { options: ['2', '16'] }),
  backup.int('failed-backup-ttl', '1440', 'Minutes that a failed backup is kept; 0: for ever.', { minimum: 0 }),
  backup.int('recurring-failed-jobs-history-limit', '1', 'Failed runs of a recurring job that stay.', {
    minimum: 0,
    kept: notHere.cronJobs,
  }),
  backup.int('recurring-job-max-retention', '100', 'Snapshots or backups that a recurring job may keep.', {
    minimum: 1,
    maximum: 250,
  }),
  backup.int('recurring-successful-jobs-history-limit', '1', 'Runs of a recurring job that stay.', {
    minimum: 0,
    kept: notHere.cronJobs,
  }),
  backup.int('restore-concurrent-limit', '2', 'Blocks that a restore works on at once.', { minimum: 1 }),
  backup.bool('restore-volume-recurring-jobs', 'false', 'Restores the recurring jobs of a volume with the volume.'),
] as const;
