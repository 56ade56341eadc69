import type { Labels } from '@lateen/kube';
import type { Backup, BackupMode, Engine, RecurringJob, Snapshot, Volume } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

/** A volume with the snapshots and backups that a job may have made. */
export interface RecurringVolume {
  readonly volume: Volume;
  /** Of the PersistentVolumeClaim, when there is one. */
  readonly claimLabels?: NonNullable<Labels>;
  readonly engine?: Engine;
  readonly snapshots: readonly Snapshot[];
  readonly backups: readonly Backup[];
}

/** One run of a job, as the annotation of the RecurringJob keeps it across a change of managers. A volume in neither list is done. */
export interface RecurringRun {
  /** When it was due. */
  readonly dueAt: string;
  /** Names of volumes that have not been started. */
  readonly left: readonly string[];
  /** Names of volumes in progress, at most `concurrency`. */
  readonly going: readonly string[];
}

export interface RecurringSeen {
  readonly job: RecurringJob;
  readonly run: RecurringRun | undefined;
  /** All volumes. */
  readonly volumes: readonly RecurringVolume[];
  readonly settings: Settings;
}

/** Each may be repeated: the names of objects follow from job, volume and run. */
export type JobStep =
  | { readonly do: 'note-run'; readonly run: RecurringRun }
  | {
      readonly do: 'create-snapshot';
      readonly volume: string;
      readonly name: string;
      readonly labels: NonNullable<Labels>;
    }
  | { readonly do: 'delete-snapshot'; readonly volume: string; readonly name: string }
  | {
      readonly do: 'create-backup';
      readonly volume: string;
      readonly name: string;
      readonly snapshot: string;
      readonly labels: NonNullable<Labels>;
      readonly mode: BackupMode;
    }
  | { readonly do: 'delete-backup'; readonly volume: string; readonly name: string }
  /** Once, whatever the result: `concurrency` volumes at a time. */
  | { readonly do: 'trim'; readonly volumes: readonly string[]; readonly atOnce: number };
