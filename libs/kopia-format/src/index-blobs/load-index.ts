import { isAppError } from '@lateen/errors';
import { type Clock, eachAtOnce, type Random, retry } from '@lateen/kernel';
import { blobOpener } from '../blob-opener.ts';
import type { RepositoryFormat } from '../repository-format.ts';
import type { RepositoryStore } from '../repository-store.ts';
import { activeIndexBlobs } from './active-index-blobs.ts';
import { activeLegacyBlobs, type Compaction, compactionOf } from './active-legacy-blobs.ts';
import { ContentIndex } from './content-index.ts';
import { indexCorrupt } from './index-corrupt.ts';
import { IndexFile } from './index-file.ts';
import type { IndexKeeper } from './index-keeper.ts';
import type { ListedBlob } from './listed-blob.ts';

export interface IndexPorts {
  repository: RepositoryStore;
  format: RepositoryFormat;
  keeper: IndexKeeper;
  clock: Clock;
  random: Random;
}

const atOnceMax = 16;
/** A compaction may take blobs away between the listing and the read: each try lists again. */
const retryPolicy = {
  backoff: { firstMs: 100, maxMs: 10_000, factor: 2, jitter: 0.2 },
  attemptsMax: 10,
  mayRetry: (error: unknown) => isAppError(error, 'OBJECT_NOT_FOUND'),
};

/**
 * The index as it is now. Blobs that `before` has open are taken from it; those that are no longer of use stay open, because
 * they may still be read: the caller closes them.
 * @throws AppError INDEX_CORRUPT, and those of the store
 */
export function loadIndex(
  ports: IndexPorts,
  before: ContentIndex | undefined,
  signal: AbortSignal,
): Promise<ContentIndex> {
  return retry(ports, retryPolicy, () => load(ports, before, signal), signal);
}

async function load(ports: IndexPorts, before: ContentIndex | undefined, signal: AbortSignal): Promise<ContentIndex> {
  const { blobs, deletedUntil } = ports.format.hasEpochs
    ? activeIndexBlobs(await listed(ports, 'x', signal))
    : { blobs: await legacyBlobs(ports, signal), deletedUntil: Number.NEGATIVE_INFINITY };
  const open = new Map(before?.files.map((file) => [file.blobId, file]));
  const files: IndexFile[] = [];
  // Small ones first: many of them in memory save more than one large one.
  const bySize = [...blobs].sort((a, b) => a.sizeBytes - b.sizeBytes);
  try {
    await eachAtOnce(bySize, atOnceMax, async (blob) => {
      files.push(open.get(blob.blobId) ?? (await openBlob(ports, blob, signal)));
    });
  } catch (error) {
    const opened = files.filter(({ blobId }) => !open.has(blobId));
    await Promise.all(opened.map((file) => file.close()));
    throw error;
  }
  return new ContentIndex(files, deletedUntil);
}

async function openBlob({ keeper }: IndexPorts, blob: ListedBlob, signal: AbortSignal): Promise<IndexFile> {
  const source = await keeper.keep(blob, signal);
  try {
    return await IndexFile.open(blob.blobId, source, signal);
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function legacyBlobs(ports: IndexPorts, signal: AbortSignal): Promise<ListedBlob[]> {
  const compactions: Compaction[] = [];
  const logs = await listed(ports, 'm', signal);
  const blobs = await listed(ports, 'n', signal);
  await eachAtOnce(logs, atOnceMax, async ({ blobId }) => {
    const compaction = await readCompaction(ports, blobId, signal);
    if (compaction !== undefined) compactions.push(compaction);
  });
  return activeLegacyBlobs(blobs, compactions);
}

async function readCompaction(
  { repository, format }: IndexPorts,
  blobId: string,
  signal: AbortSignal,
): Promise<Compaction | undefined> {
  const stored = await repository.store.get(repository.keyOf(blobId), { signal }).catch((error: unknown) => {
    // Taken away meanwhile, as kopia does when it is old.
    if (isAppError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  });
  if (stored === undefined) return undefined;
  const bytes = blobOpener(format.keys)(blobId, stored);
  const compaction = bytes && compactionOf(parsedJson(bytes));
  if (compaction === undefined) throw indexCorrupt(blobId, 'it is not the log of a compaction');
  return compaction;
}

function parsedJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

async function listed({ repository }: IndexPorts, prefix: string, signal: AbortSignal): Promise<ListedBlob[]> {
  const { store, listPrefix, keyOf } = repository;
  const blobs: ListedBlob[] = [];
  for await (const { key, sizeBytes } of store.list(`${listPrefix}${prefix}`, { signal })) {
    const blobId = key.slice(listPrefix.length);
    if (keyOf(blobId) === key) blobs.push({ blobId, sizeBytes });
  }
  return blobs;
}
