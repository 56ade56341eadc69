import type { ObjectStore } from '@lateen/object-store';
import { terminated } from '../files/document-lines.ts';
import { type RestoreOperation, restoreOperationsFile } from '../files/item-operations.ts';
import {
  entriesOf,
  type ResourceList,
  type ResourceListEntry,
  resourceListFile,
  resourceListText,
} from '../files/resource-list.ts';
import {
  type RestoreItemOutcome,
  type RestorePlanLine,
  restoreOutcomesIn,
  restorePlanIn,
} from '../files/restore-item-outcome.ts';
import { type Results, resultsFile } from '../files/results.ts';
import { type RestoreVolumeInfo, restoreVolumeInfoFile } from '../files/volume-info.ts';
import { directoryIn } from '../keys/directories.ts';
import { type RestoreFile, restoreKey } from '../keys/restore-key.ts';
import { deleteDirectory } from './delete-directory.ts';
import { fileStore, type StoreOptions } from './file-store.ts';

/** The restores of one location; as `BackupStore`. */
export interface RestoreStore {
  getItemOperations(restore: string, options?: StoreOptions): Promise<RestoreOperation[]>;
  putItemOperations(restore: string, operations: readonly RestoreOperation[], options?: StoreOptions): Promise<void>;
  getVolumeInfo(restore: string, options?: StoreOptions): Promise<RestoreVolumeInfo[]>;
  putVolumeInfo(restore: string, volumes: readonly RestoreVolumeInfo[], options?: StoreOptions): Promise<void>;
  getResults(restore: string, options?: StoreOptions): Promise<Results>;
  putResults(restore: string, results: Results, options?: StoreOptions): Promise<void>;
  getResourceList(restore: string, options?: StoreOptions): Promise<ResourceList>;
  /** Entries are written in the order of input, which the caller sorts; a whole list is sorted here. */
  putResourceList(
    restore: string,
    entries: Iterable<ResourceListEntry> | ResourceList,
    options?: StoreOptions,
  ): Promise<void>;
  /** What became of each object; packed on its way. */
  putItemOutcomes(
    restore: string,
    outcomes: AsyncIterable<RestoreItemOutcome> | Iterable<RestoreItemOutcome>,
    options?: StoreOptions,
  ): Promise<void>;
  /** None when there is no such file. */
  readItemOutcomes(restore: string, options?: StoreOptions): AsyncGenerator<RestoreItemOutcome>;
  /** What would become of each object, and in which order. */
  putPlan(
    restore: string,
    lines: AsyncIterable<RestorePlanLine> | Iterable<RestorePlanLine>,
    options?: StoreOptions,
  ): Promise<void>;
  readPlan(restore: string, options?: StoreOptions): AsyncGenerator<RestorePlanLine>;
  /** The text of the log; it is packed on its way. */
  putLog(restore: string, pieces: AsyncIterable<string | Uint8Array>, options?: StoreOptions): Promise<void>;
  /** Everything of the restore. Safe to repeat. */
  deleteRestore(restore: string, options?: StoreOptions): Promise<void>;
}

/** @param prefix of the location, without slashes around, "" for none */
export function restoreStore(store: ObjectStore, prefix: string): RestoreStore {
  const files = fileStore(store);
  const key = (restore: string, file: RestoreFile) => restoreKey(prefix, restore, file);
  return {
    getItemOperations: async (restore, options) =>
      (await files.get(restoreOperationsFile, key(restore, 'itemOperations'), options)) ?? [],
    putItemOperations: async (restore, operations, options) =>
      files.put(restoreOperationsFile, key(restore, 'itemOperations'), [...operations], options),
    getVolumeInfo: async (restore, options) =>
      (await files.get(restoreVolumeInfoFile, key(restore, 'volumeInfo'), options)) ?? [],
    putVolumeInfo: async (restore, volumes, options) =>
      files.put(restoreVolumeInfoFile, key(restore, 'volumeInfo'), [...volumes], options),
    getResults: async (restore, options) =>
      (await files.get(resultsFile, key(restore, 'results'), options)) ?? { warnings: {}, errors: {} },
    putResults: async (restore, results, options) => files.put(resultsFile, key(restore, 'results'), results, options),
    getResourceList: async (restore, options) =>
      (await files.get(resourceListFile, key(restore, 'resourceList'), options)) ?? {},
    putResourceList: async (restore, entries, options) =>
      files.write(key(restore, 'resourceList'), resourceListText(entriesOf(entries)), options),
    putItemOutcomes: async (restore, outcomes, options) =>
      files.write(key(restore, 'itemOutcomes'), terminated(texts(outcomes)), options),
    readItemOutcomes: (restore, options) => files.lines(restoreOutcomesIn, key(restore, 'itemOutcomes'), options),
    putPlan: async (restore, lines, options) => files.write(key(restore, 'plan'), terminated(texts(lines)), options),
    readPlan: (restore, options) => files.lines(restorePlanIn, key(restore, 'plan'), options),
    putLog: async (restore, pieces, options) => files.write(key(restore, 'log'), pieces, options),
    deleteRestore: async (restore, options) =>
      deleteDirectory(store, { directory: directoryIn(prefix, 'restores', restore) }, options),
  };
}

async function* texts(documents: AsyncIterable<object> | Iterable<object>): AsyncGenerator<string> {
  for await (const document of documents) yield JSON.stringify(document);
}
