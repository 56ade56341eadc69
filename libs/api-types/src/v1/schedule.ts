import type { KubeObject } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { BackupSpec } from './backup-spec.ts';

/** Creates Backups at the times of a cron expression. */
export interface Schedule extends KubeObject {
  spec: ScheduleSpec;
  status?: ScheduleStatus;
}

/** When Backups are created, and what they back up. */
export interface ScheduleSpec {
  /** Spec of the Backups that the schedule creates. */
  template: BackupSpec;
  /**
   * Cron expression with five fields (minute, hour, day of month, month, day of week), such as `0 2 * * *` for each day at 02:00; also
   * `@daily` or `@every 6h`. Times are UTC unless it begins with a zone: `CRON_TZ=Europe/Berlin 0 2 * * *`.
   */
  schedule: string;
  /**
   * Whether the Schedule owns its Backups. `true`: Kubernetes deletes the Backup objects when the Schedule is deleted. `false` or empty:
   * they stay.
   */
  useOwnerReferencesInBackup?: boolean | null;
  /** `true`: no Backups are created until it is `false` again. Default: `false`. */
  paused?: boolean;
  /**
   * `true`: a Backup that is due at once, after creation or at the end of a pause, is skipped; the next one is created at the next time of
   * the schedule. The controller then sets the field to `false`. Empty: the flag --schedule-skip-immediately of the server, `false` if that
   * is not set.
   */
  skipImmediately?: boolean;
}

export const schedulePhases = ['New', 'Enabled', 'FailedValidation'] as const;
export type SchedulePhase = (typeof schedulePhases)[number];

/** State of the schedule. */
export interface ScheduleStatus {
  /** `New`: not checked yet. `Enabled`: Backups are created. `FailedValidation`: the spec is not valid, see validationErrors. */
  phase?: SchedulePhase;
  /** When the schedule last created a Backup. */
  lastBackup?: Timestamp | null;
  /** When a Backup that was due was last skipped because of skipImmediately. */
  lastSkipped?: Timestamp | null;
  /** Everything that is wrong with the spec. Set only in phase FailedValidation. */
  validationErrors?: string[];
}

export const scheduleType = veleroType<Schedule>('v1', 'Schedule', 'schedules');
