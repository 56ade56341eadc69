import type { Integer, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';

/** A task that is done for volumes at the times of a cron expression, such as taking snapshots. Volumes take part by labels. */
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

/** What is done, when, and how many results are kept. */
export interface RecurringJobSpec {
  /** Name of the job, equal to the name of the object. At most 40 characters. */
  name?: string;
  /**
   * Groups that the job belongs to. A volume with the label `recurring-job-group.longhorn.io/GROUP: enabled` takes part in all jobs of the
   * group. The group `default` has all volumes without any such label. Empty: only volumes that name the job itself take part.
   */
  groups?: string[];
  /**
   * What is done. `snapshot`, `backup`: a snapshot or backup of the volume, and old ones are deleted. `snapshot-force-create`,
   * `backup-force-create`: the same in Lateen; Longhorn distinguishes them. `snapshot-cleanup`: snapshots that the volume manager took for
   * itself are removed. `snapshot-delete`: old snapshots are deleted, whoever took them. `filesystem-trim`: blocks that the file system no
   * longer uses are freed. `system-backup`: refused by Lateen.
   */
  task?: RecurringTask;
  /** Cron expression with five fields (minute, hour, day of month, month, day of week), such as `0 2 * * *` for each day at 02:00. */
  cron?: string;
  /**
   * Number of snapshots or backups of this job that are kept for each volume; older ones are deleted. At least 1, at most the setting
   * recurring-job-max-retention (100). 0 for `snapshot-cleanup` and `filesystem-trim`; `snapshot-delete` may also have 0.
   */
  retain?: Integer;
  /** Number of volumes that the job works on at the same time. 0: 10. */
  concurrency?: Integer;
  /** Labels for the snapshots and backups that the job creates. Empty: none but those that the volume manager adds. */
  labels?: Record<string, string>;
  /**
   * Further settings, as text. `full-backup-interval`: each nth backup uploads all blocks; 0 or absent: never. `volume-backup-policy`: for
   * `system-backup`, which Lateen refuses.
   */
  parameters?: Record<string, string>;
}

/** Runs of the job. */
export interface RecurringJobStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** Number of runs so far. */
  executionCount?: Integer;
}

export const recurringJobType = longhornType<RecurringJob>('RecurringJob', 'recurringjobs');
