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
