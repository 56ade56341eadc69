import { booleanFlag } from '@lateen/process/server';
import { type Command, Option, type OptionValues } from 'commander';
import { anyDurationMs } from './flag-values.ts';

/** Settings for schedules, the sync of backups and their deletion. */
export interface LifecycleSettings {
  /** Interval between two looks into a location that sets none itself, in ms; 0: none. */
  backupSyncPeriodMs: number;
  /** Interval after which expired backups that could not be deleted are tried again, in ms. */
  garbageCollectionFrequencyMs: number;
  /** Whether a new Schedule without its own setting skips a run that is due at once. */
  scheduleSkipImmediately: boolean;
}

const [minuteMs, hourMs] = [60_000, 3_600_000];

/** With Velero's names (performance.md section 1). */
export function addLifecycleFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--backup-sync-period <duration>',
        'how often to look for backups in locations that set no period; 0: never',
      )
        .argParser((text) => orUsually('--backup-sync-period', text, minuteMs))
        .default(minuteMs, '1m0s'),
    )
    .addOption(
      new Option('--garbage-collection-frequency <duration>', 'how often to retry the deletion of an expired backup')
        .argParser((text) => orUsually('--garbage-collection-frequency', text, hourMs) || hourMs)
        .default(hourMs, '1h0m0s'),
    )
    .addOption(
      booleanFlag(
        '--schedule-skip-immediately',
        'whether schedules that do not set this skip a backup that is due at once',
      ),
    );
}

export const lifecycleSettings = (flags: OptionValues): LifecycleSettings => ({
  backupSyncPeriodMs: flags.backupSyncPeriod,
  garbageCollectionFrequencyMs: flags.garbageCollectionFrequency,
  scheduleSkipImmediately: flags.scheduleSkipImmediately,
});

/** A negative value means the default, as in Velero. */
function orUsually(flag: string, text: string, usuallyMs: number): number {
  const ms = anyDurationMs(flag, text, '1h0m0s');
  return ms < 0 ? usuallyMs : ms;
}
