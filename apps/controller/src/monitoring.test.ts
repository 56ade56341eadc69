import { join } from 'node:path';
import { controllerMetrics } from '@lateen/probes';
import { monitoredSeries } from '@lateen/testing';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { backupMetrics } from './backup-metrics.ts';
import { locationMetrics } from './location-metrics.ts';
import { maintenanceMetrics } from './maintenance-metrics.ts';
import { objectStoreMetrics } from './object-store-metrics.ts';

const root = join(import.meta.dirname, '..', '..', '..');

it('has every series that dashboard and alert rules ask of the controller', async () => {
  const registry = new Registry();
  for (const register of [backupMetrics, locationMetrics, maintenanceMetrics, objectStoreMetrics, controllerMetrics])
    register(registry);
  const known = registry.getMetricsAsArray().map(({ name }) => name);
  const used = await monitoredSeries(root, /^(velero|lateen|workqueue|controller_runtime)_/);
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
});
