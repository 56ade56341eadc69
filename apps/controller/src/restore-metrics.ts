import type { Restore } from '@lateen/api-types';
import type { RestoreObserver } from '@lateen/restore';
import { Counter, Histogram, type Registry } from 'prom-client';
import { durationBuckets } from './duration-buckets.ts';
import { runReadings, secondsBetween, waitBuckets } from './run-metrics.ts';

const counters = {
  attempt: 'Restores that have begun',
  success: 'Restores that are complete',
  partial_failure: 'Restores that ended as PartiallyFailed',
  failed: 'Restores that ended as Failed',
  validation_failed: 'Restores that ended as FailedValidation',
} as const;
type CounterName = keyof typeof counters;

const schedule = ({ spec }: Restore): string => spec.scheduleName ?? '';

/**
 * Series of restores under Velero's names (performance.md section 9), with a few of ours; README lists them. Plans are not
 * restores and are not counted. The counters of a schedule exist from its first restore on, so that a rate shows the first
 * failure.
 */
export function restoreMetrics(registry: Registry): RestoreObserver {
  const registers = [registry];
  const labelNames = ['schedule'];
  const counted = Object.fromEntries(
    Object.entries(counters).map(([name, help]) => [
      name,
      new Counter({ name: `velero_restore_${name}_total`, help, labelNames, registers }),
    ]),
  ) as Record<CounterName, Counter>;
  const duration = new Histogram({
    name: 'lateen_restore_duration_seconds',
    help: 'How long restores took from their beginning to their end',
    buckets: durationBuckets,
    registers,
  });
  const waited = new Histogram({
    name: 'lateen_restore_wait_seconds',
    help: 'How long restores waited from their creation to their beginning',
    buckets: waitBuckets,
    registers,
  });
  const items = new Counter({
    name: 'lateen_restore_items_total',
    help: 'Objects that restores have worked on',
    registers,
  });
  const readings = runReadings<Restore>(registry, {
    total: 'velero_restore_total',
    byPhase: 'lateen_restores',
    what: 'Restores',
  });
  const began = ({ metadata, status, ...restore }: Restore): void => {
    const label = { schedule: schedule({ metadata, ...restore }) };
    for (const counter of Object.values(counted)) counter.inc(label, 0);
    counted.attempt.inc(label);
    const seconds = secondsBetween(metadata.creationTimestamp, status?.startTimestamp);
    if (seconds !== undefined) waited.observe(seconds);
  };
  const ended = (restore: Restore, result: CounterName): void => {
    counted[result].inc({ schedule: schedule(restore) });
    const seconds = secondsBetween(restore.status?.startTimestamp, restore.status?.completionTimestamp);
    if (seconds !== undefined) duration.observe(seconds);
    items.inc(restore.status?.progress?.itemsRestored ?? 0);
  };
  return {
    readings,
    moved: (_, after) => {
      if (after.spec.dryRun === true) return;
      switch (after.status?.phase) {
        case 'InProgress':
          return began(after);
        case 'FailedValidation':
          return counted.validation_failed.inc({ schedule: schedule(after) });
        case 'Completed':
          return ended(after, 'success');
        case 'PartiallyFailed':
          return ended(after, 'partial_failure');
        case 'Failed':
          return ended(after, 'failed');
        default:
          return;
      }
    },
  };
}
