import type { LookupFunction } from 'node:net';
import type { BlobDownloadResponseParsed } from '@azure/storage-blob';
import { AppError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import {
  bytesOfRange,
  checkedKeys,
  type ObjectStore,
  type ObjectStoreCallOptions,
  type ObjectSummary,
  type ProxyFor,
  type RangeAnswer,
  type ReadOptions,
  timeTold,
  tooLarge,
} from '@lateen/object-store';
import { type AzureClient, azureClient } from './azure-client.ts';
import { type AzureLimits, type AzureStoreConfig, azureLimitsDefault } from './azure-config.ts';
import { azureError, storePlaceOf } from './azure-error.ts';
import { signedUrl } from './azure-sign.ts';
import { putWhole, writePieces } from './azure-write.ts';

export interface AzureStoreOptions {
  clock: Clock;
  limits?: Partial<AzureLimits>;
  /** How host names become addresses; the system's way when absent. */
  lookup?: LookupFunction;
  /** By which proxies Azure, and who gives tokens for it, are asked; by none when absent. */
  proxyFor?: ProxyFor;
}

/** Stops a listing of a store that hands out markers for ever: 100,000 pages are 500 million keys. */
const pagesMax = 100_000;

/** An ObjectStore on one container of Azure Blob Storage. Nothing is contacted when it is made. */
export function azureStore(config: AzureStoreConfig, options: AzureStoreOptions): ObjectStore {
  const { clock, lookup, proxyFor, limits = {} } = options;
  const client = azureClient(config, { ...azureLimitsDefault, ...limits }, { clock, lookup, proxyFor });
  const { blob } = client;
  return checkedKeys({
    listCommonPrefixes: (prefix, options) => listCommonPrefixes(client, prefix, options),
    list: (prefix, options) => list(client, prefix, options),
    exists: async (key, options) => {
      try {
        await client.call(`object "${key}"`, options?.signal, (abortSignal) =>
          blob(key).getProperties({ abortSignal }),
        );
        return true;
      } catch (error) {
        if (isAppError(error, 'OBJECT_NOT_FOUND')) return false;
        throw error;
      }
    },
    get: (key, options) => getWhole(client, key, options),
    // A copy, because the caller may use its bytes again while they are sent.
    put: (key, body, options) => putWhole(client, key, Buffer.from(body), options?.signal),
    read: (key, options) => read(client, key, options),
    write: (key, pieces, options) => writePieces(client, key, pieces, options?.signal),
    // Azure has no call for it, and drops blocks that are in no list after a week.
    endAbandonedWrites: async (key, { signal } = {}) => {
      signal?.throwIfAborted();
      // Refuses a key that cannot be a blob's.
      blob(key);
      return 0;
    },
    delete: async (key, options) => {
      const remove = (abortSignal: AbortSignal) => blob(key).delete({ deleteSnapshots: 'include', abortSignal });
      await client.call(`object "${key}"`, options?.signal, remove).catch((error: unknown) => {
        if (!isAppError(error, 'OBJECT_NOT_FOUND')) throw error;
      });
    },
    signedUrl: (key, options) => signedUrl(client, key, options.ttlMs, options.signal),
    close: () => client.close(),
  });
}

async function listCommonPrefixes(
  client: AzureClient,
  prefix: string,
  options?: ObjectStoreCallOptions,
): Promise<string[]> {
  const found = new Set<string>();
  const { container } = client;
  const all = pages(client, options?.signal, (marker, abortSignal) =>
    container.listBlobsByHierarchy('/', { prefix, abortSignal }).byPage(continuing(marker)).next(),
  );
  for await (const { segment } of all) {
    for (const { name } of segment.blobPrefixes ?? []) found.add(name.slice(prefix.length).replace(/\/$/, ''));
  }
  return [...found].sort();
}

async function* list(
  client: AzureClient,
  prefix: string,
  options?: ObjectStoreCallOptions,
): AsyncGenerator<ObjectSummary> {
  const { container } = client;
  const all = pages(client, options?.signal, (marker, abortSignal) =>
    container.listBlobsFlat({ prefix, abortSignal }).byPage(continuing(marker)).next(),
  );
  for await (const { segment } of all) {
    for (const { name, properties } of segment.blobItems) {
      yield {
        key: name,
        sizeBytes: properties.contentLength ?? 0,
        modifiedAtMs: timeTold(properties.lastModified),
      };
    }
  }
}

async function* pages<Page extends { continuationToken?: string | undefined }>(
  client: AzureClient,
  signal: AbortSignal | undefined,
  get: (marker: string | undefined, abortSignal: AbortSignal) => Promise<IteratorResult<Page>>,
): AsyncGenerator<Page> {
  let marker: string | undefined;
  for (let count = 0; count < pagesMax; count++) {
    const { value: page } = await client.call('', signal, (abortSignal) => get(marker, abortSignal));
    yield page;
    marker = page.continuationToken || undefined;
    if (marker === undefined) return;
  }
  throw new AppError('OBJECT_STORE_BAD_ANSWER', `a listing has more than ${pagesMax} pages`);
}

const continuing = (marker: string | undefined) => (marker === undefined ? {} : { continuationToken: marker });

async function getWhole(client: AzureClient, key: string, options?: ObjectStoreCallOptions): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const { objectBytesMax } = client.limits;
  for await (const chunk of read(client, key, options)) {
    bytes += chunk.length;
    if (bytes > objectBytesMax) throw tooLarge(storePlaceOf(client.config), `object "${key}"`, objectBytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** After a broken connection the SDK continues at the same byte, and only with the same version of the blob. */
async function* read(client: AzureClient, key: string, options?: ReadOptions): AsyncGenerator<Uint8Array> {
  const { signal, range } = options ?? {};
  signal?.throwIfAborted();
  // Ends the transfer when the loop is left, or when nothing comes for too long.
  const left = new AbortController();
  const abortSignal = signal === undefined ? left.signal : AbortSignal.any([signal, left.signal]);
  const soon = <T>(work: Promise<T>): Promise<T> => within(client, left, work);
  try {
    const answer = await soon(client.blob(key).download(range?.offset, range?.length, { abortSignal }));
    // In Node the body is a Readable of Buffers.
    const body = each((answer.readableStreamBody as AsyncIterable<Buffer>)[Symbol.asyncIterator](), soon);
    if (range === undefined) return yield* body;
    const asked = { subject: `object "${key}"`, place: storePlaceOf(client.config) };
    yield* bytesOfRange(body, rangeAnswerOf(answer), range, asked);
  } catch (cause) {
    signal?.throwIfAborted();
    throw azureError(left.signal.aborted ? left.signal.reason : cause, `object "${key}"`, client.config);
  } finally {
    left.abort();
  }
}

async function* each(
  pieces: AsyncIterator<Buffer>,
  soon: (next: Promise<IteratorResult<Buffer>>) => Promise<IteratorResult<Buffer>>,
): AsyncGenerator<Uint8Array> {
  for (;;) {
    const next = await soon(pieces.next());
    if (next.done === true) return;
    yield next.value;
  }
}

const rangeAnswerOf = ({ _response, contentRange, contentLength }: BlobDownloadResponseParsed): RangeAnswer => ({
  status: _response.status,
  header: (name) => (name === 'content-range' ? contentRange : contentLength?.toString()),
});

/** Aborts `stop` when `work` takes longer than an answer may. */
async function within<T>({ clock, limits }: AzureClient, stop: AbortController, work: Promise<T>): Promise<T> {
  const timeout = clock.deadline(limits.answerMs);
  const end = () => stop.abort(timeout.reason);
  timeout.addEventListener('abort', end, { once: true });
  try {
    return await work;
  } finally {
    timeout.removeEventListener('abort', end);
  }
}
