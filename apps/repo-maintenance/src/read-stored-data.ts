import type { Clock, Logger, Random } from '@lateen/kernel';
import { checkStoredData, type DamagedContent, type VerifyTask, verifySnapshot } from '@lateen/kopia-check';
import { type KopiaRepository, openKopiaRepository } from '@lateen/kopia-format';
import { type ObjectStore, retryingStore, throttledStore, transferRates } from '@lateen/object-store';
import { podS3Store } from '@lateen/object-store-s3';
import { type PackReader, packReader } from '@lateen/pack-reader';
import { blobNaming, type RepositoryTarget, repositoryPrefix } from '@lateen/repository';
import type { ReadStoredData, VerifyStoredSnapshot } from '@lateen/repository/operations';
import { environmentStores, placeText } from '@lateen/storage-location';
import { systemBlock } from '@lateen/uploader';
import { programBeside, workerPool } from '@lateen/worker-pool';
import type { CheckBudget } from './check-budget.ts';

/*
 * A program of its own beside this app's: what reads a repository without the engine, with the clients of object stores, is
 * loaded by a check alone.
 */

export interface StoredDataSetUp {
  target: RepositoryTarget;
  environment: Readonly<Record<string, string | undefined>>;
  scratchDirectory: string;
  budget: CheckBudget;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** As many as may be worth having in flight, see `readLimits` of the pack reader. */
const limits = { connectionsMax: 64 };

const providers = {
  s3: { podS3Store },
  azure: () => import('@lateen/object-store-azure'),
  gcp: () => import('@lateen/object-store-gcs'),
};

/** A repository that is open for reading. */
interface OpenStore {
  repository: KopiaRepository;
  reader: PackReader;
  listPacks(signal: AbortSignal): Promise<Map<string, number>>;
}

/** Opens the repository, and closes it when `use` has ended. */
async function withRepository<T>(
  setUp: StoredDataSetUp,
  signal: AbortSignal,
  use: (open: OpenStore) => Promise<T>,
): Promise<T> {
  const { target, budget, clock, random, log, scratchDirectory } = setUp;
  const { location, password, volumeNamespace } = target;
  const prefix = repositoryPrefix(location.prefix, volumeNamespace);
  const { keyOf } = blobNaming(location, prefix);
  const store = environmentStores(providers, { ...setUp, limits })(location);
  const { downloadBytesPerSecond: down } = location;
  const throttled = throttledStore(store, transferRates(down === undefined ? {} : { down }, clock));
  const retrying = retryingStore(throttled, { clock, random });
  // The reader asks again by itself, from where a body was cut.
  const reading = { get: retrying.get, list: retrying.list, read: throttled.read };
  const reader = packReader({ store: reading, keyOf, clock, random, log, memoryBytes: budget.readerBytes });
  try {
    const repository = await openKopiaRepository(
      {
        store: reading,
        keyOf,
        listPrefix: prefix,
        password,
        name: placeText(location, prefix),
        readPacked: (content, ends) => reader.readOne(content, ends),
        scratchDirectory,
        memoryBytes: budget.indexBytes,
        clock,
        random,
        log,
      },
      signal,
    );
    try {
      return await use({ repository, reader, listPacks: (ends) => packsBelow(retrying, prefix, ends) });
    } finally {
      await repository.close();
    }
  } finally {
    await reader.close();
    await store.close();
  }
}

/** See {@link ReadStoredData}. */
export function readStoredData(
  setUp: StoredDataSetUp,
  { percent, onProgress, onProblem, signal }: Parameters<ReadStoredData>[0],
): Promise<number> {
  const { budget, clock, random, log } = setUp;
  return withRepository(setUp, signal, async ({ repository, ...store }) => {
    const pool = workerPool<VerifyTask, DamagedContent[]>({
      program: programBeside('check-worker', import.meta.url),
      size: budget.threads,
      data: { keys: repository.keys },
      heapMB: budget.threadHeapMB,
      clock,
      log,
    });
    try {
      return await checkStoredData(
        { repository, ...store, verify: (task) => pool.run(task, signal), random },
        {
          percent,
          onProgress: (done, total) => onProgress?.({ doing: 'reading stored data', done, total, unit: 'items' }),
          onProblem,
          signal,
        },
      );
    } finally {
      await pool.close();
    }
  });
}

/** See {@link VerifyStoredSnapshot}. */
export async function readSnapshot(
  setUp: StoredDataSetUp,
  { volumePath, onProgress, ...options }: Parameters<VerifyStoredSnapshot>[0],
): Promise<{ readBytes: number; comparedBytes: number }> {
  const { clock, random, scratchDirectory } = setUp;
  const { devices } = systemBlock({ clock, graceMs: 0, scratchDirectory });
  const volume = volumePath === undefined ? undefined : await devices.open(volumePath, 'read');
  const doing = volume === undefined ? 'reading the snapshot' : 'comparing the snapshot with the volume';
  try {
    return await withRepository(setUp, options.signal, ({ repository }) =>
      verifySnapshot(
        { repository, random },
        {
          ...options,
          volume,
          onProgress: (done, total) => onProgress?.({ doing, done, total, unit: 'bytes' }),
        },
      ),
    );
  } finally {
    await volume?.close();
  }
}

/** Packs of data and of metadata, with their sizes. */
async function packsBelow(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<Map<string, number>> {
  const packs = new Map<string, number>();
  for (const letter of ['p', 'q']) {
    for await (const { key, sizeBytes } of store.list(`${prefix}${letter}`, { signal }))
      packs.set(key.slice(prefix.length), sizeBytes);
  }
  return packs;
}
