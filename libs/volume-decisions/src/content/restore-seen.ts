import type { RecurringJobSpec } from '@lateen/storage-types';

/** A backup of blocks as a volume names it: `spec.fromBackup`. */
export interface BackupSource {
  /** Name of the volume that was backed up. */
  readonly volume: string;
  readonly backup: string;
  /** Name of the BackupTarget that has it; absent where no target has such a URL. */
  readonly target?: string;
  /** That target can be reached. */
  readonly isAvailable: boolean;
}

/** A complete backup of the volume that is followed. */
export interface FollowedBackup {
  readonly name: string;
  /** When its snapshot was taken, RFC 3339. */
  readonly takenAt: string;
}

/** What is read for a volume whose content is to come from a backup. */
export interface RestoreSeen {
  /** Or why `spec.fromBackup` names no backup. */
  readonly source: BackupSource | { readonly problem: string };
  /** The complete backups of that volume in its target, as objects. */
  readonly backups: readonly FollowedBackup[];
  /** Of the volume that was backed up; undefined while that is not known. */
  readonly sizeBytes?: bigint;
}

/** What is read for a volume whose recurring jobs are to come back with it. */
export interface StoredJobsSeen {
  /** Name of the volume that was backed up. */
  readonly from: string;
  /** Of the label `VolumeRecurringJobInfo` of that volume on the target, '' where it has none; undefined while that was not read since the backup was made. */
  readonly text?: string;
  /** Specs of the jobs that there are, by name. */
  readonly existing: ReadonlyMap<string, RecurringJobSpec>;
}
