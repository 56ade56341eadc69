import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { controllerMetrics } from './controller-metrics.ts';

describe('controllerMetrics', () => {
  it('counts each controller under its own name, with the metric names of controller-runtime', async () => {
    const registry = new Registry();
    const metrics = controllerMetrics(registry);
    metrics.length('data-upload', 3);
    metrics.waited('data-upload', 20);
    metrics.retried('data-upload');
    for (const outcome of ['settled', 'waiting', 'again', 'failed', 'failed'] as const)
      metrics.reconciled('data-upload', outcome, 2_000);
    metrics.reconciled('backup-repository', 'settled', 1);
    const text = await registry.metrics();
    expect(text.split('\n')).toEqual(
      expect.arrayContaining([
        'workqueue_depth{name="data-upload"} 3',
        'workqueue_queue_duration_seconds_count{name="data-upload"} 1',
        'workqueue_retries_total{name="data-upload"} 1',
        'controller_runtime_reconcile_total{controller="data-upload",result="success"} 2',
        'controller_runtime_reconcile_total{controller="data-upload",result="requeue_after"} 1',
        'controller_runtime_reconcile_total{controller="data-upload",result="error"} 2',
        'controller_runtime_reconcile_total{controller="backup-repository",result="success"} 1',
        'controller_runtime_reconcile_time_seconds_sum{controller="data-upload"} 10',
      ]),
    );
  });
});
