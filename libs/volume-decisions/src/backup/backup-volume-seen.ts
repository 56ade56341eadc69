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
  /** Of the file; undefined where the target does not tell. */
  readonly modifiedAtMs?: number | undefined;
}

/**
 * What a look at the volume on the target has brought that began at `atMs`: the names of all its backups, of those that are going on or
 * damaged too, and its file or what is wrong with it. Or why there is no complete list.
 */
export type BackupVolumeLook = { readonly atMs: number } & (
  | { readonly backups: readonly string[]; readonly volume: StoredVolumeFacts | { readonly problem: string } }
  | { readonly error: string }
);

export interface BackupVolumeSeen {
  readonly backupVolume: BackupVolume;
  /** Absent when there is none; whoever gathers has read it, and does not guess. */
  readonly target?: BackupTarget;
  /** All Backups of the volume in this target, read after the look has ended. */
  readonly backups: readonly Backup[];
  readonly look?: BackupVolumeLook;
  /** It is being deleted because its namespace is; read after its deletion. */
  readonly goesWithNamespace: boolean;
}

/** Each may be repeated; they are carried out in their order, and the first that fails ends the pass. */
export type BackupVolumeEffect =
  | { readonly do: 'add-finalizer' | 'drop-finalizer' | 'look' }
  /** The volume on the target, with all its backups. */
  | { readonly do: 'delete-stored' }
  /** For one that was found: without `spec.snapshotName`. One of this name that is there already, of another volume too, is left as it is. */
  | { readonly do: 'create-backup'; readonly backup: string }
  /** As any client would: its own room stops what is going on. */
  | { readonly do: 'delete-backup'; readonly backup: string }
  /**
   * The object goes, and what is on the target stays as it is: its finalizer is taken away by an update of what was read, and then it is
   * deleted with the resourceVersion of that update for a precondition. Else a room that gives the finalizer back in between would take the
   * deletion for one that somebody has asked for, and delete the data.
   */
  | { readonly do: 'forget-backup'; readonly backup: string };
