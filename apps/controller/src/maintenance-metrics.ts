import type { MaintenanceObserver } from '@lateen/maintenance';
import { Counter, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';

/** Series of the maintenance of repositories, under Velero's names; README lists them. */
export function maintenanceMetrics(registry: Registry): MaintenanceObserver {
  const registers = [registry];
  const labelNames = ['repository_name'];
  const counter = (result: 'success' | 'failure') =>
    new Counter({
      name: `velero_repo_maintenance_${result}_total`,
      help: `Maintenance Jobs of BackupRepositories that ended in ${result}`,
      labelNames,
      registers,
    });
  const [success, failure] = [counter('success'), counter('failure')];
  const duration = new Histogram({
    name: 'velero_repo_maintenance_duration_seconds',
    help: 'How long maintenance Jobs of BackupRepositories took',
    labelNames,
    buckets: durationBuckets,
    registers,
  });
  return {
    ended: ({ repository, succeeded, ms }) => {
      const labels = { repository_name: repository };
      (succeeded ? success : failure).inc(labels);
      if (Number.isFinite(ms)) duration.observe(labels, ms / 1_000);
    },
    removed: (repository) => {
      for (const series of [success, failure, duration]) series.remove({ repository_name: repository });
    },
  };
}
