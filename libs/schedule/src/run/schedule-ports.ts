import type { Backup, Schedule } from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import type { KubeApi, ObjectKey } from '@lateen/kube';
import type { EventRecorder } from '@lateen/kube-runtime';
import type { ScheduleObserver } from './schedule-observer.ts';

export interface SchedulePorts {
  kube: KubeApi;
  /** From the informer's cache. */
  getSchedule(key: ObjectKey): Schedule | undefined;
  /** Those with the label of a schedule of that name, from the informer's cache. */
  backupsOf(scheduleName: string): readonly Backup[];
  /** What the server says for a schedule that says nothing. */
  skipImmediately: boolean;
  events: EventRecorder;
  observer?: ScheduleObserver | undefined;
  clock: Clock;
  log: Logger;
}

/** Reasons of Events on Schedules. */
export const scheduleReasons = {
  invalid: 'FailedValidation',
  jitterInvalid: 'JitterInvalid',
  backupDelayed: 'BackupDelayed',
} as const;
