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
import type { DirectBudget } from './direct-budget.ts';
import { type RestoredSnapshot, restoreSnapshot } from './restore-snapshot.ts';
import type { RestoreTask, RestoreTaskResult, RestoreWorkerData, TakenAsThere } from './restore-task.ts';

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
  budget: DirectBudget;
  /** The module that each worker thread runs; it serves `restoreWorker`. */
  workerProgram: URL;
  /** Of the process with all its threads, in seconds. */
  cpuSeconds(): number;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** The tree of a snapshot, and the volume for it. */
export interface TreeRequest {
  volumePath: string;
  /** The root folder, as the snapshot's manifest has it. */
  rootEntry: unknown;
  totalBytes: number;
  totalFiles: number | undefined;
  there: TakenAsThere;
  writesSparse: boolean;
  /** Threads that write at the same time; the budget says when nobody else does. */
  writersMax: number | undefined;
  onProgress(progress: DataPathProgress): void;
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
  /** Frees memory and scratch. */
  close(): Promise<void>;
}

/** Opens the repository; see `openKopiaRepository` for errors. On abort: rejects, nothing is left open. */
export async function openDirectRestore(options: DirectRestoreOptions, signal: AbortSignal): Promise<DirectRestore> {
  const { store, keyOf, budget, clock, random, log } = options;
  const reader = packReader({ store, keyOf, clock, random, log, memoryBytes: budget.readerBytes });
  try {
    const repository = await openKopiaRepository(
      {
        ...options,
        memoryBytes: budget.indexBytes,
        readPacked: (location, ends) => reader.readOne(location, ends),
      },
      signal,
    );
    const { readContent } = boundReader(repository);
    return {
      name: options.name,
      manifest: async (id, ends) => (await repository.manifest(id, ends)).data,
      findManifests: (labels, ends) => repository.findManifests(labels, ends),
      readObject: (objectId, ends) =>
        readObject(typeof objectId === 'string' ? parseObjectId(objectId) : objectId, readContent, ends),
      fileIn: (folder, file, ends) => fileIn(readObject(parseObjectId(folder), readContent, ends), file),
      restoreTree: (request, ends) => restoreTreeWith(options, { repository, reader }, request, ends),
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

async function restoreTreeWith(
  { budget, workerProgram, cpuSeconds, clock, log }: DirectRestoreOptions,
  { repository, reader }: { repository: KopiaRepository; reader: PackReader },
  { volumePath, writesSparse, writersMax, rootEntry, ...request }: TreeRequest,
  signal: AbortSignal,
): Promise<RestoredSnapshot> {
  const data: RestoreWorkerData = { keys: repository.keys, volumePath, writesSparse };
  const size = Math.max(Math.min(writersMax ?? budget.workers, budget.workersMax), 1);
  const pool = workerPool<RestoreTask, RestoreTaskResult>({
    program: workerProgram,
    size,
    data,
    heapMB: budget.workerHeapMB,
    log,
  });
  try {
    const { windowEntries: entriesMax, windowNameBytes: nameBytesMax, batchSlices: slicesMax, ...machine } = budget;
    return await restoreSnapshot(
      {
        ...request,
        root: rootOf(rootEntry),
        repository,
        reader,
        pool,
        clock,
        cpuSeconds,
        limits: { entriesMax, nameBytesMax, slicesMax },
        machine,
      },
      signal,
    );
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
  throw new AppError('SNAPSHOT_INVALID', 'the root of the snapshot is no folder', {
    nextStep: 'Restore from an earlier or later backup.',
  });
}
