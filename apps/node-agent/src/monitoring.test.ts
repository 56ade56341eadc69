import { join } from 'node:path';
import { monitoredSeries } from '@lateen/testing';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { movementMetrics } from './movement-metrics.ts';

const root = join(import.meta.dirname, '..', '..', '..');

it('has every series that dashboard and alert rules ask of the node-agents', async () => {
  const registry = new Registry();
  movementMetrics(registry, 'node-1');
  const known = registry.getMetricsAsArray().map(({ name }) => name);
  const used = await monitoredSeries(root, /^podVolume_/);
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
});
