import type { Clock, Logger, Random } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import type { BackupPlan, BackupResult } from './backup/backup-plan.ts';
import type { BlockSource } from './backup/block-source.ts';
import { type BackupCall, runBackup } from './backup/run-backup.ts';
import type { BlockCodec } from './codec/block-codec.ts';
import type { StoredBackup } from './format/backup-config.ts';
import type { StoredVolume } from './format/volume-config.ts';
import { storePaths } from './names/store-paths.ts';
import { type DeletionResult, deleteBackup } from './remove/delete-backup.ts';
import { deleteVolume } from './remove/delete-volume.ts';
import { type BlockSink, type RestoreCall, type RestoreResult, runRestore } from './restore/run-restore.ts';
import { type ListedVolume, listBackups, listVolumes } from './store/list-store.ts';
import { readBackup, readVolume } from './store/read-configs.ts';
import type { Call, StoreContext } from './store/store-context.ts';

export interface BlockCatalogOptions {
  readonly store: ObjectStore;
  /** Path of the backup target: the part of its URL behind the bucket. */
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The content of a backup target, and its deletion. Listing and reading take no lock. */
export interface BlockCatalog {
  listVolumes(call: Call): AsyncIterable<ListedVolume>;
  listBackups(volume: string, call: Call): AsyncIterable<string>;
  /** @throws BLOCK_VOLUME_NOT_FOUND, BLOCK_STORE_FILE, what the store throws */
  readVolume(volume: string, call: Call): Promise<StoredVolume>;
  /** @throws BLOCK_BACKUP_NOT_FOUND, BLOCK_STORE_FILE, what the store throws */
  readBackup(volume: string, backup: string, call: Call): Promise<StoredBackup>;
  deleteBackup(volume: string, backup: string, call: Call): Promise<DeletionResult>;
  deleteVolume(volume: string, call: Call): Promise<void>;
}

export interface BlockBackupStoreOptions extends BlockCatalogOptions {
  readonly codec: BlockCodec;
  /** Block sizes that a backup may have; those of the format when absent. */
  readonly blockSizes?: readonly number[];
}

/** A backup target for programs that move data. */
export interface BlockBackupStore extends BlockCatalog {
  backup(source: BlockSource, plan: BackupPlan, call: BackupCall): Promise<BackupResult>;
  restore(volume: string, backup: string, sink: BlockSink, call: RestoreCall): Promise<RestoreResult>;
}

/** Nothing is contacted until the first call. */
export function blockCatalog(options: BlockCatalogOptions): BlockCatalog {
  const context = contextOf(options);
  return {
    listVolumes: (call) => listVolumes(context, call),
    listBackups: (volume, call) => listBackups(context, volume, call),
    readVolume: (volume, { signal }) => readVolume(context, volume, signal),
    readBackup: (volume, backup, { signal }) => readBackup(context, volume, backup, signal),
    deleteBackup: (volume, backup, call) => deleteBackup(context, { volume, backup }, call),
    deleteVolume: (volume, call) => deleteVolume(context, volume, call),
  };
}

/** Nothing is contacted until the first call. */
export function blockBackupStore(options: BlockBackupStoreOptions): BlockBackupStore {
  const deps = { context: contextOf(options), codec: options.codec, blockSizes: options.blockSizes };
  return {
    ...blockCatalog(options),
    backup: (source, plan, call) => runBackup(deps, source, plan, call),
    restore: (volume, backup, sink, call) => runRestore(deps, { volume, backup }, sink, call),
  };
}

const contextOf = ({ store, path, clock, random, log }: BlockCatalogOptions): StoreContext => ({
  store,
  paths: storePaths(path),
  clock,
  random,
  log,
});
