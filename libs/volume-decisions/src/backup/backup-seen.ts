import type { Backup, BackupTarget, Engine, Snapshot, Volume } from '@lateen/storage-types';
import type { Settings } from '../settings/read-settings.ts';

/** What the host says of the transfer of a backup. */
export type TransferFacts =
  | { readonly state: 'running'; readonly progress: number; readonly replicaAddress: string }
  | { readonly state: 'completed' }
  | { readonly state: 'failed'; readonly error: string; readonly code?: string }
  /** The host answers and has none. */
  | { readonly state: 'absent' }
  /** The host does not answer since then. */
  | { readonly state: 'silent'; readonly sinceMs: number };

/** A backup as its file on the target says; numbers of bytes in decimal. */
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
  /** Absent when there is none; whoever gathers has read it, and does not guess. */
  readonly target?: BackupTarget;
  readonly volume?: Volume;
  readonly engine?: Engine;
  readonly snapshot?: Snapshot;
  /** Of the transfer that counts (`backupTransferName`). Undefined: not asked yet. */
  readonly transfer?: TransferFacts;
  /** A host that answers has a transfer of the backup that does not count any more: it was silent, or the backup has ended. */
  readonly hasLeftovers?: boolean;
  /** Undefined: not read. `absent`: the target was read and has none. `damaged`: its file is there and cannot be used. */
  readonly stored?: StoredBackupFacts | 'absent' | 'damaged';
  /** Names of other backups of the volume that are going on. */
  readonly othersGoing: readonly string[];
  readonly settings: Settings;
  /** It is being deleted because its namespace is; read after its deletion. */
  readonly goesWithNamespace: boolean;
}

/** Each may be repeated; they are carried out in their order. */
export type BackupEffect =
  | {
      readonly do:
        | 'add-finalizer'
        | 'drop-finalizer'
        | 'stop-transfer'
        /** All that do not count any more, of hosts that answer. */
        | 'stop-leftovers'
        | 'read-stored'
        | 'delete-stored'
        | 'delete-backup';
    }
  | { readonly do: 'start-transfer'; readonly replicas: readonly string[] }
  | { readonly do: 'delete-snapshot'; readonly snapshot: string };
