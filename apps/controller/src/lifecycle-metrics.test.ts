import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { lifecycleMetrics } from './lifecycle-metrics.ts';

it('counts deletions by schedule, and reports how often an enabled schedule creates backups', async () => {
  const registry = new Registry();
  const { scheduleObserver, deletionObserver } = lifecycleMetrics(registry);
  deletionObserver.attempted('nightly');
  deletionObserver.attempted('');
  deletionObserver.succeeded('nightly');
  deletionObserver.failed('');
  scheduleObserver.interval('nightly', 86_400_000);
  scheduleObserver.interval('paused', 60_000);
  scheduleObserver.interval('paused', undefined);
  const text = await registry.metrics();
  for (const line of [
    'velero_backup_deletion_attempt_total{schedule="nightly"} 1',
    'velero_backup_deletion_success_total{schedule="nightly"} 1',
    'velero_backup_deletion_failure_total{schedule="nightly"} 0',
    'velero_backup_deletion_failure_total{schedule=""} 1',
    'velero_schedule_expected_interval_seconds{schedule="nightly"} 86400',
  ])
    expect(text).toContain(line);
  expect(text).not.toContain('paused');
});
