import type { Backup, BackupTarget, Engine, Snapshot, Volume } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

/** What the host reports about the transfer of a backup. */
export type TransferFacts =
  | { readonly state: 'running'; readonly progress: number; readonly replicaAddress: string }
  | { readonly state: 'completed' }
  | { readonly state: 'failed'; readonly error: string; readonly code?: string }
  /** The host answers and has no such transfer. */
  | { readonly state: 'absent' }
  /** The host has not answered since then. */
  | { readonly state: 'silent'; readonly sinceMs: number };

/** A backup as its file on the target describes it; byte counts are decimal text. */
export interface StoredBackupFacts {
  readonly name: string;
  /** "" while it is in progress. */
  readonly createdTime: string;
  readonly snapshotName: string;
  readonly snapshotCreatedAt: string;
  readonly size: string;
  readonly labels: Readonly<Record<string, string>> | null;
  readonly compressionMethod: 'none' | 'lz4' | 'gzip';
  readonly newlyUploaded: string;
  readonly reUploaded: string;
  readonly url: string;
  readonly volumeSize: string;
  readonly volumeCreated: string;
}

export interface BackupSeen {
  readonly backup: Backup;
  /** Absent only when the object was read and does not exist; the caller never guesses. */
  readonly target?: BackupTarget;
  readonly volume?: Volume;
  readonly engine?: Engine;
  readonly snapshot?: Snapshot;
  /** State of the current transfer (`backupTransferName`). Undefined: not asked yet. */
  readonly transfer?: TransferFacts;
  /** A host that answers has a transfer of the backup that is no longer current: the host did not answer for too long, or the backup has ended. */
  readonly hasLeftovers?: boolean;
  /** Undefined: not read. `absent`: the target was read and has no such backup. `damaged`: its file exists and cannot be used. */
  readonly stored?: StoredBackupFacts | 'absent' | 'damaged';
  /** Names of other backups of the volume that are in progress. */
  readonly othersGoing: readonly string[];
  readonly settings: Settings;
  /** It is being deleted because its namespace is; the namespace was read after the deletion began. */
  readonly goesWithNamespace: boolean;
}

/** Each effect may be repeated; they are carried out in order. */
export type BackupEffect =
  | {
      readonly do:
        | 'add-finalizer'
        | 'drop-finalizer'
        | 'stop-transfer'
        /** Stops all transfers that are no longer current, on hosts that answer. */
        | 'stop-leftovers'
        | 'read-stored'
        | 'delete-stored'
        | 'delete-backup';
    }
  | { readonly do: 'start-transfer'; readonly replicas: readonly string[] }
  | { readonly do: 'delete-snapshot'; readonly snapshot: string };
