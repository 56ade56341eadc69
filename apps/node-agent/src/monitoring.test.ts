import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monitoredSeries } from '@lateen/testing';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { movementMetrics } from './movement-metrics.ts';

const root = join(import.meta.dirname, '..', '..', '..');

it('has every series of the node-agents that dashboard and alert rules use', async () => {
  const registry = new Registry();
  movementMetrics(registry, 'node-1');
  const known = registry.getMetricsAsArray().map(({ name }) => name);
  const used = await monitoredSeries(root, /^podVolume_/);
  expect(used.length).toBeGreaterThan(3);
  expect(used.filter((name) => !known.includes(name))).toEqual([]);
});

it('reports volumes that are not backed up, pod volumes that are not restored, and restores of any kind without progress', async () => {
  const registry = new Registry();
  movementMetrics(registry, 'node-1');
  const failures = registry
    .getMetricsAsArray()
    .filter(({ name }) => /_(upload|backup|pod_volume_restore)_failure_total$/.test(name));
  const rules = await readFile(join(root, 'deploy', 'monitoring', 'alert-rules.yaml'), 'utf8');
  expect(failures).toHaveLength(3);
  for (const { name } of failures) expect(rules).toMatch(new RegExp(`expr: .*${name}.* > 0`));
  expect(rules).toContain('podVolume_data_movements{operation=~"download|pod-volume-restore",phase="InProgress"}');
});
