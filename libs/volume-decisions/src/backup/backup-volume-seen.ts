import type { Backup, BackupTarget, BackupVolume } from '@lateen/storage-types';

/** A volume as its `volume.cfg` on the target says. */
export interface StoredVolumeFacts {
  readonly sizeBytes: bigint;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly createdTime: string;
  readonly lastBackupName: string;
  readonly lastBackupAt: string;
  readonly blockCount: bigint;
  readonly storageClassName: string;
  readonly backingImageName: string;
  readonly backingImageChecksum: string;
  /** Modification time of the file; undefined where the target does not report one. */
  readonly modifiedAtMs?: number | undefined;
}

/**
 * The result of reading the volume on the target, begun at `atMs`: the names of all its backups, including those in progress or
 * damaged, and its file or what is wrong with it. Or why there is no complete list.
 */
export type BackupVolumeLook = { readonly atMs: number } & (
  | { readonly backups: readonly string[]; readonly volume: StoredVolumeFacts | { readonly problem: string } }
  | { readonly error: string }
);

export interface BackupVolumeSeen {
  readonly backupVolume: BackupVolume;
  /** Absent only when the object was read and does not exist; the caller never guesses. */
  readonly target?: BackupTarget;
  /** All Backups of the volume in this target, read after the target was read. */
  readonly backups: readonly Backup[];
  readonly look?: BackupVolumeLook;
  /** It is being deleted because its namespace is; the namespace was read after the deletion began. */
  readonly goesWithNamespace: boolean;
}

/** Each effect may be repeated; they are carried out in order, and the first that fails ends the pass. */
export type BackupVolumeEffect =
  | { readonly do: 'add-finalizer' | 'drop-finalizer' | 'look' }
  /** Deletes the volume on the target, with all its backups. */
  | { readonly do: 'delete-stored' }
  /**
   * For a backup found on the target: a Backup without `spec.snapshotName`. An existing Backup of this name is left as it is,
   * even of another volume.
   */
  | { readonly do: 'create-backup'; readonly backup: string }
  /** Deleted as any client would delete it: the Backup controller stops what is in progress. */
  | { readonly do: 'delete-backup'; readonly backup: string }
  /**
   * Deletes the object and keeps the data on the target: an update of the object as read removes the finalizer, then a deletion with the
   * resourceVersion of that update as precondition follows. Without the precondition, a controller that adds the finalizer again in between would
   * treat the deletion as a user's request, and delete the data.
   */
  | { readonly do: 'forget-backup'; readonly backup: string };
