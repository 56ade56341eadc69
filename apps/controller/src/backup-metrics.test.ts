import type { Backup, BackupStatus } from '@lateen/api-types';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { backupMetrics } from './backup-metrics.ts';

const backup = (name: string, status: BackupStatus, schedule?: string): Backup => ({
  apiVersion: 'velero.io/v1',
  kind: 'Backup',
  metadata: {
    name,
    namespace: 'velero',
    creationTimestamp: '2030-01-01T00:00:00Z',
    ...(schedule === undefined ? {} : { labels: { 'velero.io/schedule-name': schedule } }),
  },
  spec: {},
  status: { startTimestamp: '2030-01-01T00:00:10Z', completionTimestamp: '2030-01-01T00:02:10Z', ...status },
});

function measured() {
  const registry = new Registry();
  const observer = backupMetrics(registry);
  const move = (to: Backup) => observer.moved(backup('before', {}), to);
  const lines = async (pattern: RegExp) => (await registry.metrics()).split('\n').filter((line) => pattern.test(line));
  return { observer, move, lines };
}

describe('series of backups', () => {
  it('count each end under its name, and exist for a schedule from its first backup on', async () => {
    const { move, lines } = measured();
    move(backup('a', { phase: 'InProgress' }, 'nightly'));
    expect(await lines(/^velero_backup_\w+_total\{/)).toEqual([
      'velero_backup_attempt_total{schedule="nightly"} 1',
      'velero_backup_success_total{schedule="nightly"} 0',
      'velero_backup_partial_failure_total{schedule="nightly"} 0',
      'velero_backup_failure_total{schedule="nightly"} 0',
      'velero_backup_validation_failure_total{schedule="nightly"} 0',
      'velero_backup_warning_total{schedule="nightly"} 0',
    ]);
    move(backup('a', { phase: 'Completed', warnings: 2, progress: { totalItems: 7, itemsBackedUp: 7 } }, 'nightly'));
    move(backup('b', { phase: 'PartiallyFailed', errors: 3 }, 'nightly'));
    move(backup('c', { phase: 'Failed' }));
    move(backup('d', { phase: 'FailedValidation' }));
    move(backup('e', { phase: 'Canceled' }));
    expect(
      await lines(/^velero_backup_(success|partial_failure|failure|validation_failure|warning)_total.* [1-9]/),
    ).toEqual([
      'velero_backup_success_total{schedule="nightly"} 1',
      'velero_backup_partial_failure_total{schedule="nightly"} 1',
      'velero_backup_failure_total{schedule=""} 1',
      'velero_backup_validation_failure_total{schedule=""} 1',
      'velero_backup_warning_total{schedule="nightly"} 1',
    ]);
    expect(await lines(/^velero_backup_(last|items)/)).toEqual([
      'velero_backup_last_status{schedule="nightly"} 0',
      'velero_backup_last_status{schedule=""} 0',
      `velero_backup_last_successful_timestamp{schedule="nightly"} ${Date.parse('2030-01-01T00:02:10Z') / 1_000}`,
      'velero_backup_items_total{schedule="nightly"} 0',
      'velero_backup_items_total{schedule=""} 0',
      'velero_backup_items_errors{schedule="nightly"} 3',
      'velero_backup_items_errors{schedule=""} 0',
    ]);
    expect(await lines(/duration_seconds_(sum|count)|bucket\{le="(60|300)"/)).toEqual([
      'velero_backup_duration_seconds_bucket{le="60",schedule="nightly"} 0',
      'velero_backup_duration_seconds_bucket{le="300",schedule="nightly"} 2',
      'velero_backup_duration_seconds_sum{schedule="nightly"} 240',
      'velero_backup_duration_seconds_count{schedule="nightly"} 2',
      'velero_backup_duration_seconds_bucket{le="60",schedule=""} 0',
      'velero_backup_duration_seconds_bucket{le="300",schedule=""} 1',
      'velero_backup_duration_seconds_sum{schedule=""} 120',
      'velero_backup_duration_seconds_count{schedule=""} 1',
      'lateen_backup_queue_seconds_bucket{le="60"} 1',
      'lateen_backup_queue_seconds_bucket{le="300"} 1',
    ]);
  });

  it('report snapshots by backup while the backup exists, and backups by phase', async () => {
    const { observer, move, lines } = measured();
    const done = backup(
      'a',
      { phase: 'Completed', csiVolumeSnapshotsAttempted: 3, csiVolumeSnapshotsCompleted: 2 },
      's',
    );
    let existing: Backup[] = [done, backup('q', { phase: 'Queued' }), backup('n', {})];
    observer.readings(() => existing);
    move(done);
    observer.archived(done, 4_096);
    expect(await lines(/^(velero_csi|velero_backup_total|velero_backup_tarball|lateen_backups)/)).toEqual([
      'velero_backup_tarball_size_bytes{schedule="s"} 4096',
      'velero_csi_snapshot_attempt_total{schedule="s",backupName="a"} 3',
      'velero_csi_snapshot_success_total{schedule="s",backupName="a"} 2',
      'velero_csi_snapshot_failure_total{schedule="s",backupName="a"} 1',
      'velero_backup_total 3',
      'lateen_backups{phase="Completed"} 1',
      'lateen_backups{phase="Queued"} 1',
      'lateen_backups{phase="New"} 1',
    ]);
    existing = [];
    await lines(/./);
    expect(await lines(/^(velero_csi|velero_backup_total|lateen_backups)/)).toEqual(['velero_backup_total 0']);
  });
});
