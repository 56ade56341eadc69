import type { Restore, RestoreSpec, RestoreStatus } from '@lateen/api-types';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { restoreMetrics } from './restore-metrics.ts';

const restore = (status: RestoreStatus, spec: RestoreSpec = {}): Restore => ({
  apiVersion: 'velero.io/v1',
  kind: 'Restore',
  metadata: { name: 'r', namespace: 'velero', creationTimestamp: '2030-01-01T00:00:00Z' },
  spec: { backupName: 'b', ...spec },
  status: { startTimestamp: '2030-01-01T00:00:10Z', completionTimestamp: '2030-01-01T00:02:10Z', ...status },
});

function measured() {
  const registry = new Registry();
  const observer = restoreMetrics(registry);
  const move = (to: Restore) => observer.moved(restore({}), to);
  const lines = async (pattern: RegExp) => (await registry.metrics()).split('\n').filter((line) => pattern.test(line));
  return { observer, move, lines };
}

it('counts restores by their ends under Velero’s names, from the first of a schedule on', async () => {
  const { move, lines } = measured();
  move(restore({ phase: 'InProgress' }, { scheduleName: 'nightly' }));
  move(restore({ phase: 'Completed', progress: { itemsRestored: 7 } }, { scheduleName: 'nightly' }));
  move(restore({ phase: 'PartiallyFailed' }, { scheduleName: 'nightly' }));
  move(restore({ phase: 'Failed' }));
  move(restore({ phase: 'FailedValidation' }));
  move(restore({ phase: 'Canceled' }));
  expect(await lines(/^velero_restore_\w+_total/)).toEqual([
    'velero_restore_attempt_total{schedule="nightly"} 1',
    'velero_restore_success_total{schedule="nightly"} 1',
    'velero_restore_partial_failure_total{schedule="nightly"} 1',
    'velero_restore_failed_total{schedule="nightly"} 0',
    'velero_restore_failed_total{schedule=""} 1',
    'velero_restore_validation_failed_total{schedule="nightly"} 0',
    'velero_restore_validation_failed_total{schedule=""} 1',
  ]);
  expect(await lines(/^lateen_restore_(items_total|duration_seconds_(sum|count)|wait_seconds_sum)/)).toEqual([
    'lateen_restore_duration_seconds_sum 360',
    'lateen_restore_duration_seconds_count 3',
    'lateen_restore_wait_seconds_sum 10',
    'lateen_restore_items_total 7',
  ]);
});

it('does not count plans, and reports the number of restores in each phase', async () => {
  const { observer, move, lines } = measured();
  move(restore({ phase: 'InProgress' }, { dryRun: true }));
  move(restore({ phase: 'Completed' }, { dryRun: true }));
  observer.readings(() => [restore({ phase: 'InProgress' }), restore({})]);
  expect(await lines(/^(velero_restore|lateen_restores)\S+ [1-9]/)).toEqual([
    'velero_restore_total 2',
    'lateen_restores{phase="InProgress"} 1',
    'lateen_restores{phase="New"} 1',
  ]);
});
