import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { controllerMetrics } from '@lateen/probes';
import { monitoredSeries } from '@lateen/testing';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { backupMetrics } from './backup-metrics.ts';
import { lifecycleMetrics } from './lifecycle-metrics.ts';
import { locationMetrics } from './location-metrics.ts';
import { maintenanceMetrics } from './maintenance-metrics.ts';
import { objectStoreMetrics } from './object-store-metrics.ts';
import { restoreMetrics } from './restore-metrics.ts';

const root = join(import.meta.dirname, '..', '..', '..');

it('has every series of the controller that dashboard and alert rules use', async () => {
  const registry = new Registry();
  for (const register of [
    backupMetrics,
    restoreMetrics,
    lifecycleMetrics,
    locationMetrics,
    maintenanceMetrics,
    objectStoreMetrics,
    controllerMetrics,
  ])
    register(registry);
  const known = registry.getMetricsAsArray().map(({ name }) => name);
  const used = await monitoredSeries(root, /^(velero|lateen|workqueue|controller_runtime)_/);
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
});

it('has every series of schedules and deletions, and reports a failed deletion', async () => {
  const registry = new Registry();
  lifecycleMetrics(registry);
  const used = await monitoredSeries(root, /^velero_/);
  expect(used).toEqual(expect.arrayContaining(registry.getMetricsAsArray().map(({ name }) => name)));
  const rules = await readFile(join(root, 'deploy', 'monitoring', 'alert-rules.yaml'), 'utf8');
  expect(rules).toMatch(/expr: .*velero_backup_deletion_failure_total.* > 0/);
});
