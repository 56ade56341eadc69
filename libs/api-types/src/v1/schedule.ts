import type { KubeObject } from '../meta/kube-object.ts';
import type { Timestamp } from '../meta/scalars.ts';
import { veleroType } from '../meta/velero-type.ts';
import type { BackupSpec } from './backup-spec.ts';

/** Makes Backups at set times. */
export interface Schedule extends KubeObject {
  spec: ScheduleSpec;
  status?: ScheduleStatus;
}

/** When to back up, and what. */
export interface ScheduleSpec {
  /** Specification of the Backups to make. */
  template: BackupSpec;
  /** Times to make them at, as a cron expression. */
  schedule: string;
  /** Whether the Backups are owned by the Schedule and so deleted with it. */
  useOwnerReferencesInBackup?: boolean | null;
  /** Whether no Backups are made for now. */
  paused?: boolean;
  /** Whether a Backup that is due at once, on creation or when the pause ends, waits for the next time; absent follows the server. */
  skipImmediately?: boolean;
}

export const schedulePhases = ['New', 'Enabled', 'FailedValidation'] as const;
export type SchedulePhase = (typeof schedulePhases)[number];

/** What the schedule did. */
export interface ScheduleStatus {
  /** Whether the schedule is in force. */
  phase?: SchedulePhase;
  /** When a Backup was last made. */
  lastBackup?: Timestamp | null;
  /** When a due Backup was last left out. */
  lastSkipped?: Timestamp | null;
  /** What is wrong with the specification. */
  validationErrors?: string[];
}

export const scheduleType = veleroType<Schedule>('v1', 'Schedule', 'schedules');
