import type { Integer, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';

/** Something that is done with volumes at set times. */
export interface RecurringJob extends KubeObject {
  spec: RecurringJobSpec;
  status?: RecurringJobStatus;
}

export const recurringTasks = [
  'snapshot',
  'snapshot-force-create',
  'snapshot-cleanup',
  'snapshot-delete',
  'backup',
  'backup-force-create',
  'filesystem-trim',
  'system-backup',
] as const;
export type RecurringTask = (typeof recurringTasks)[number];

/** What is done, when, and with which volumes. */
export interface RecurringJobSpec {
  /** Name of the job, the same as the object's. */
  name?: string;
  /** Groups that the job is in; volumes without any job take those of the group default. */
  groups?: string[];
  /** What is done. */
  task?: RecurringTask;
  /** When, as a cron expression. */
  cron?: string;
  /** Number of snapshots or backups that are kept of each volume. */
  retain?: Integer;
  /** Number of volumes that are worked on at once. */
  concurrency?: Integer;
  /** Labels for what the job makes. */
  labels?: Record<string, string>;
  /** Further parameters: full-backup-interval, volume-backup-policy. */
  parameters?: Record<string, string>;
}

/** What the job did. */
export interface RecurringJobStatus {
  /** Node whose manager looks after the job. */
  ownerID?: string;
  /** Number of runs so far. */
  executionCount?: Integer;
}

export const recurringJobType = longhornType<RecurringJob>('RecurringJob', 'recurringjobs');
