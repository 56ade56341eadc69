import { type Backup, labels } from '@lateen/api-types';
import type { BackupObserver } from '@lateen/backup';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';
import { runReadings, secondsBetween, waitBuckets } from './run-metrics.ts';

const counters = {
  attempt: 'Backups that have begun',
  success: 'Backups that are complete',
  partial_failure: 'Backups that ended as PartiallyFailed',
  failure: 'Backups that ended as Failed',
  validation_failure: 'Backups that ended as FailedValidation',
  warning: 'Backups that ended with warnings',
} as const;
type CounterName = keyof typeof counters;

const snapshotResults = ['attempt', 'success', 'failure'] as const;

const schedule = ({ metadata }: Backup): string => metadata.labels?.[labels.scheduleName] ?? '';
const nameOf = ({ metadata }: Backup): string => metadata.name ?? '';

/**
 * Series of backups under Velero's names (performance.md section 9), with a few of ours; README lists them. The counters of a
 * schedule exist from its first backup on, so that a rate shows the first failure.
 */
export function backupMetrics(registry: Registry): BackupObserver {
  const registers = [registry];
  const labelNames = ['schedule'];
  const counted = Object.fromEntries(
    Object.entries(counters).map(([name, help]) => [
      name,
      new Counter({ name: `velero_backup_${name}_total`, help, labelNames, registers }),
    ]),
  ) as Record<CounterName, Counter>;
  const last = lastBackup(registry);
  const duration = new Histogram({
    name: 'velero_backup_duration_seconds',
    help: 'How long backups took from their beginning to their end',
    labelNames,
    buckets: durationBuckets,
    registers,
  });
  const waited = new Histogram({
    name: 'lateen_backup_queue_seconds',
    help: 'How long backups waited from their creation to their beginning',
    buckets: waitBuckets,
    registers,
  });
  const snapshots = snapshotCounters(registry);
  const names = { total: 'velero_backup_total', byPhase: 'lateen_backups', what: 'Backups' };
  const existing = runReadings<Backup>(registry, names, (backups) => snapshots.keep(new Set(backups.map(nameOf))));
  const began = (backup: Backup): void => {
    for (const counter of Object.values(counted)) counter.inc({ schedule: schedule(backup) }, 0);
    counted.attempt.inc({ schedule: schedule(backup) });
    const seconds = secondsBetween(backup.metadata.creationTimestamp, backup.status?.startTimestamp);
    if (seconds !== undefined) waited.observe(seconds);
  };
  const ended = (backup: Backup, result: 'success' | 'partial_failure' | 'failure'): void => {
    const label = { schedule: schedule(backup) };
    const { status = {} } = backup;
    counted[result].inc(label);
    if ((status.warnings ?? 0) > 0) counted.warning.inc(label);
    last.status.set(label, result === 'success' ? 1 : 0);
    last.items.set(label, status.progress?.itemsBackedUp ?? 0);
    last.errors.set(label, status.errors ?? 0);
    if (result === 'success') last.successful.set(label, Date.parse(status.completionTimestamp ?? '') / 1_000);
    const seconds = secondsBetween(status.startTimestamp, status.completionTimestamp);
    if (seconds !== undefined) duration.observe(label, seconds);
    snapshots.ended(backup);
  };
  return {
    readings: existing,
    archived: (backup, bytes) => last.tarball.set({ schedule: schedule(backup) }, bytes),
    moved: (_, after) => {
      switch (after.status?.phase) {
        case 'InProgress':
          return began(after);
        case 'FailedValidation':
          return counted.validation_failure.inc({ schedule: schedule(after) });
        case 'Completed':
          return ended(after, 'success');
        case 'PartiallyFailed':
          return ended(after, 'partial_failure');
        case 'Failed':
          return ended(after, 'failure');
        default:
          return;
      }
    },
  };
}

/** Metrics of the last finished backup of each schedule. */
function lastBackup(registry: Registry) {
  const gauge = (name: string, help: string) =>
    new Gauge({ name: `velero_backup_${name}`, help, labelNames: ['schedule'], registers: [registry] });
  return {
    tarball: gauge('tarball_size_bytes', 'Size of the archive of the last backup'),
    status: gauge('last_status', 'Whether the last backup is complete (1) or not (0)'),
    successful: gauge('last_successful_timestamp', 'When the last backup was complete, in seconds since 1970'),
    items: gauge('items_total', 'Objects of the last backup'),
    errors: gauge('items_errors', 'Errors of the last backup'),
  };
}

/** Native and CSI snapshots; the latter also by backup, for as long as a backup of that name exists. */
function snapshotCounters(registry: Registry) {
  const registers = [registry];
  const make = (kind: string, what: string, labelNames: string[]) =>
    snapshotResults.map(
      (result) =>
        new Counter({ name: `velero_${kind}_${result}_total`, help: `${what} (${result})`, labelNames, registers }),
    );
  const native = make('volume_snapshot', 'Native snapshots of backups', ['schedule']);
  const csi = make('csi_snapshot', 'CSI snapshots of backups', ['schedule', 'backupName']);
  const named = new Map<string, string>();
  return {
    ended: (backup: Backup): void => {
      const { status = {} } = backup;
      const label = { schedule: schedule(backup) };
      const { volumeSnapshotsAttempted: tried = 0, volumeSnapshotsCompleted: done = 0 } = status;
      const { csiVolumeSnapshotsAttempted: csiTried = 0, csiVolumeSnapshotsCompleted: csiDone = 0 } = status;
      for (const [at, value] of [tried, done, tried - done].entries()) native[at]?.inc(label, Math.max(value, 0));
      named.set(nameOf(backup), label.schedule);
      for (const [at, value] of [csiTried, csiDone, csiTried - csiDone].entries())
        csi[at]?.inc({ ...label, backupName: nameOf(backup) }, Math.max(value, 0));
    },
    /** Series of deleted backups are removed, as the number of names is unbounded. */
    keep: (names: ReadonlySet<string>): void => {
      for (const [backupName, ofSchedule] of named) {
        if (names.has(backupName)) continue;
        named.delete(backupName);
        for (const counter of csi) counter.remove({ schedule: ofSchedule, backupName });
      }
    },
  };
}
