import type { RecurringJobSpec } from '@lateen/storage-types';

/** A backup of blocks as `spec.fromBackup` of a volume names it. */
export interface BackupSource {
  /** Name of the volume that was backed up. */
  readonly volume: string;
  readonly backup: string;
  /** Name of the BackupTarget that has it; absent when no target has this URL. */
  readonly target?: string;
  /** That target can be reached. */
  readonly isAvailable: boolean;
}

/** A complete backup of the volume that is being followed. */
export interface FollowedBackup {
  readonly name: string;
  /** When its snapshot was taken, RFC 3339. */
  readonly takenAt: string;
}

/** What is read for a volume whose content comes from a backup. */
export interface RestoreSeen {
  /** The source, or why `spec.fromBackup` names no backup. */
  readonly source: BackupSource | { readonly problem: string };
  /** The complete backups of that volume in its target, from their objects. */
  readonly backups: readonly FollowedBackup[];
  /** Size of the backed-up volume; undefined while it is unknown. */
  readonly sizeBytes?: bigint;
}

/** What is read for a volume whose recurring jobs are restored with it. */
export interface StoredJobsSeen {
  /** Name of the volume that was backed up. */
  readonly from: string;
  /**
   * The label `VolumeRecurringJobInfo` of that volume on the target, '' when it has none; undefined while it has not been read since the backup was
   * made.
   */
  readonly text?: string;
  /** Specs of the existing jobs, by name. */
  readonly existing: ReadonlyMap<string, RecurringJobSpec>;
}
