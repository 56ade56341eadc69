import type { DeletionObserver } from '@lateen/retention';
import type { ScheduleObserver } from '@lateen/schedule';
import { Counter, Gauge, type Registry } from 'prom-client';

export interface LifecycleObservers {
  scheduleObserver: ScheduleObserver;
  deletionObserver: DeletionObserver;
}

/** Series of schedules and deletions under Velero's names (performance.md section 9); README lists them. */
export function lifecycleMetrics(registry: Registry): LifecycleObservers {
  const registers = [registry];
  const labelNames = ['schedule'];
  const interval = new Gauge({
    name: 'velero_schedule_expected_interval_seconds',
    help: 'Between two backups of a schedule that is in force',
    labelNames,
    registers,
  });
  const deletions = (result: 'attempt' | 'success' | 'failure', help: string) =>
    new Counter({ name: `velero_backup_deletion_${result}_total`, help, labelNames, registers });
  const attempt = deletions('attempt', 'Deletions of backups that have begun');
  const success = deletions('success', 'Deletions of backups that are complete');
  const failure = deletions('failure', 'Deletions of backups that could not be completed');
  return {
    scheduleObserver: {
      interval: (schedule, ms) => {
        if (ms === undefined) interval.remove({ schedule });
        else interval.set({ schedule }, ms / 1_000);
      },
    },
    deletionObserver: {
      attempted: (schedule) => {
        attempt.inc({ schedule });
        // A rate shows the first increase only when there was a zero before.
        for (const counter of [success, failure]) counter.inc({ schedule }, 0);
      },
      succeeded: (schedule) => success.inc({ schedule }),
      failed: (schedule) => failure.inc({ schedule }),
    },
  };
}
