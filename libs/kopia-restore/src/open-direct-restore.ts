import type { DataPathProgress } from '@lateen/datapath';
import { AppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import {
  folderEntries,
  folderEntry,
  type KopiaRepository,
  type Manifest,
  type ObjectId,
  openKopiaRepository,
  type Pieces,
  parseObjectId,
  readObject,
} from '@lateen/kopia-format';
import type { ObjectStore } from '@lateen/object-store';
import { type PackReader, packReader } from '@lateen/pack-reader';
import type { EntryAttributes } from '@lateen/volume-writer';
import { workerPool } from '@lateen/worker-pool';
import { type DirectBudget, workersFor } from './direct-budget.ts';
import {
  type RestoredSnapshot,
  type RestoreOptions,
  restoreDevice,
  restoreSnapshot,
  type TreeToRestore,
} from './restore-snapshot.ts';
import type {
  DeviceTarget,
  FilesTarget,
  RestoreTask,
  RestoreTaskResult,
  RestoreWorkerData,
  TakenAsThere,
} from './restore-task.ts';

export interface DirectRestoreOptions {
  store: Pick<ObjectStore, 'get' | 'read' | 'list'>;
  /** The key of a blob of the repository. */
  keyOf(blobId: string): string;
  /** Under which all its blobs are. */
  listPrefix: string;
  password: string;
  /** Of the repository, for messages: bucket and prefix. */
  name: string;
  scratchDirectory: string;
  /** Where packs are kept that are needed time and again; a directory of our own. */
  cache?: { directory: string; bytesMax: number } | undefined;
  budget: DirectBudget;
  /** The module that each worker thread runs; it serves `restoreWorker`. */
  workerProgram: URL;
  /** Of the process with all its threads, in seconds. */
  cpuSeconds(): number;
  clock: Clock;
  random: Random;
  log: Logger;
}

interface FillRequest {
  totalBytes: number;
  totalFiles: number | undefined;
  /** Threads that write at the same time; by default the number in the budget. */
  writersMax: number | undefined;
  onProgress(progress: DataPathProgress): void;
}

/** The tree of a snapshot, and the volume for it. */
export interface TreeRequest extends FillRequest, Omit<TreeToRestore, 'root'>, Omit<FilesTarget, 'kind'> {
  /** The root folder, as the snapshot's manifest has it. */
  rootEntry: unknown;
}

/** The object of a device, and the device for it. */
export interface DeviceRequest extends FillRequest, Omit<DeviceTarget, 'kind'> {
  objectId: string;
  there: TakenAsThere;
}

/** A repository that is read without the engine. */
export interface DirectRestore {
  /** Of the repository, for messages. */
  readonly name: string;
  /** What a manifest holds. @throws MANIFEST_NOT_FOUND, and as `openKopiaRepository` */
  manifest(id: string, signal: AbortSignal): Promise<unknown>;
  /** Manifests that have all of the labels. */
  findManifests(
    labels: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Pick<Manifest, 'id' | 'data'>[]>;
  /** The bytes of an object, verified. @throws CONTENT_MISSING, CONTENT_CORRUPT, SNAPSHOT_CORRUPT */
  readObject(objectId: string | ObjectId, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** The object of a file of a folder; undefined when the folder has no such file. */
  fileIn(folderObjectId: string, name: string, signal: AbortSignal): Promise<ObjectId | undefined>;
  /** See `restoreSnapshot`. */
  restoreTree(request: TreeRequest, signal: AbortSignal): Promise<RestoredSnapshot>;
  /** Fills a device that the caller has open, and flushes it at the end; see `restoreDevice`. */
  restoreDevice(request: DeviceRequest, signal: AbortSignal): Promise<RestoredSnapshot>;
  /** Frees memory and scratch. */
  close(): Promise<void>;
}

/** Opens the repository; see `openKopiaRepository` for errors. On abort: rejects, nothing is left open. */
export async function openDirectRestore(options: DirectRestoreOptions, signal: AbortSignal): Promise<DirectRestore> {
  const { store, keyOf, budget, clock, random, log } = options;
  const reader = packReader({
    store,
    keyOf,
    clock,
    random,
    log,
    memoryBytes: budget.readerBytes,
    cache: options.cache,
  });
  try {
    const repository = await openKopiaRepository(
      {
        ...options,
        memoryBytes: budget.indexBytes,
        readPacked: (location, ends) => reader.readOne(location, ends),
      },
      signal,
    );
    const opened = { repository, reader };
    const { readContent } = boundReader(repository);
    return {
      name: options.name,
      manifest: async (id, ends) => (await repository.manifest(id, ends)).data,
      findManifests: (labels, ends) => repository.findManifests(labels, ends),
      readObject: (objectId, ends) =>
        readObject(typeof objectId === 'string' ? parseObjectId(objectId) : objectId, readContent, ends),
      fileIn: (folder, file, ends) => fileIn(readObject(parseObjectId(folder), readContent, ends), file),
      restoreTree: ({ volumePath, writesSparse, rootEntry, there, deletesExtra, flush, ...request }, ends) => {
        const target = { kind: 'files' as const, volumePath, writesSparse };
        const tree = { root: rootOf(rootEntry), there, deletesExtra, flush };
        return withWorkers(options, opened, { ...request, target }, (all) => restoreSnapshot(all, tree, ends));
      },
      restoreDevice: ({ devicePath, skipsZeroes, readsZero, objectId: text, there, ...request }, ends) => {
        const target = { kind: 'device' as const, devicePath, skipsZeroes, readsZero };
        const device = { objectId: parseObjectId(text), there };
        return withWorkers(options, opened, { ...request, target }, (all) => restoreDevice(all, device, ends));
      },
      close: async () => {
        await repository.close();
        await reader.close();
      },
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Worker threads for one target, for as long as `fill` takes. */
async function withWorkers(
  { budget, workerProgram, cpuSeconds, clock, log }: DirectRestoreOptions,
  { repository, reader }: { repository: KopiaRepository; reader: PackReader },
  { target, ...request }: FillRequest & { target: RestoreWorkerData['target'] },
  fill: (options: RestoreOptions) => Promise<RestoredSnapshot>,
): Promise<RestoredSnapshot> {
  const data: RestoreWorkerData = { keys: repository.keys, target };
  const { workerHeapMB: heapMB } = budget;
  const size = workersFor(budget, request);
  const pool = workerPool<RestoreTask, RestoreTaskResult>({ program: workerProgram, size, data, heapMB, clock, log });
  try {
    const { windowEntries: entriesMax, windowNameBytes: nameBytesMax, batchSlices: slicesMax, ...machine } = budget;
    const { foldersAheadMax, folderBytesAheadMax, unsyncedBytesMax } = budget;
    const limits = { entriesMax, nameBytesMax, slicesMax, foldersAheadMax, folderBytesAheadMax };
    return await fill({ ...request, repository, reader, pool, clock, cpuSeconds, limits, machine, unsyncedBytesMax });
  } finally {
    await pool.close();
  }
}

const boundReader = (repository: KopiaRepository) => ({
  readContent: (contentId: string, signal: AbortSignal) => repository.readContent(contentId, signal),
});

async function fileIn(folder: Pieces, name: string): Promise<ObjectId | undefined> {
  for await (const entries of folderEntries(folder)) {
    const found = entries.find((entry) => entry.type === 'file' && entry.name === name);
    if (found !== undefined) return found.objectId;
  }
  return undefined;
}

/** The name of the root is that of a mount somewhere: it says nothing here. @throws SNAPSHOT_CORRUPT */
function rootOf(rootEntry: unknown): { objectId: ObjectId; attributes: EntryAttributes } {
  const entry = folderEntry({ ...(rootEntry as object), name: 'root' });
  if (entry.type === 'folder' && entry.objectId !== undefined) return { objectId: entry.objectId, attributes: entry };
  throw new AppError('SNAPSHOT_INVALID', 'the root of the snapshot is not a directory', {
    nextStep: 'Restore from an earlier or later backup.',
  });
}
