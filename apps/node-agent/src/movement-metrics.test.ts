import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { movementMetrics } from './movement-metrics.ts';

describe('the metrics of a node-agent', () => {
  it('are there from the start and count each end under the reference\u2019s name', async () => {
    const registry = new Registry();
    const ended = movementMetrics(registry, 'node-1');
    expect(await registry.metrics()).toContain('podVolume_data_download_cancel_total{node="node-1"} 0');
    ended('data upload', 'Completed');
    ended('data upload', 'Completed');
    ended('data download', 'Canceled');
    const text = await registry.metrics();
    expect(text).toContain('podVolume_data_upload_success_total{node="node-1"} 2');
    expect(text).toContain('podVolume_data_upload_failure_total{node="node-1"} 0');
    expect(text).toContain('podVolume_data_download_cancel_total{node="node-1"} 1');
  });
});
