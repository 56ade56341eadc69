import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { maintenanceMetrics } from './maintenance-metrics.ts';

it("counts maintenance under Velero's names, until the repository is deleted", async () => {
  const registry = new Registry();
  const observer = maintenanceMetrics(registry);
  const lines = async () =>
    (await registry.metrics()).split('\n').filter((line) => /_total\{|_sum\{|_count\{|le="300"/.test(line));
  observer.ended({ repository: 'a', succeeded: true, ms: 90_000 });
  observer.ended({ repository: 'a', succeeded: false, ms: 30_000 });
  // A Job without readable times.
  observer.ended({ repository: 'b', succeeded: true, ms: Number.NaN });
  expect(await lines()).toEqual([
    'velero_repo_maintenance_success_total{repository_name="a"} 1',
    'velero_repo_maintenance_success_total{repository_name="b"} 1',
    'velero_repo_maintenance_failure_total{repository_name="a"} 1',
    'velero_repo_maintenance_duration_seconds_bucket{le="300",repository_name="a"} 2',
    'velero_repo_maintenance_duration_seconds_sum{repository_name="a"} 120',
    'velero_repo_maintenance_duration_seconds_count{repository_name="a"} 2',
  ]);
  observer.removed('a');
  observer.removed('never there');
  expect(await lines()).toEqual(['velero_repo_maintenance_success_total{repository_name="b"} 1']);
});
