import { AppError, isAppError } from '@lateen/errors';
import type { Clock } from '@lateen/kernel';
import {
  bytesOfRange,
  checkedKeys,
  endsEarly,
  jsonObjectIn,
  nestsDeeper,
  notWhatWasAsked,
  type ObjectStore,
  type ObjectStoreCallOptions,
  type ObjectSummary,
  oneHeader,
  type ProxyFor,
  type ReadOptions,
  timeTold,
} from '@lateen/object-store';
import { type GcsClient, gcsClient } from './gcs-client.ts';
import { encodeUrlPart, type GcsLimits, type GcsStoreConfig, gcsLimitsDefault } from './gcs-config.ts';
import { gcsUnreachableError, storePlaceOf } from './gcs-error.ts';
import { signedUrl } from './gcs-sign.ts';

export interface GcsStoreOptions {
  clock: Clock;
  limits?: Partial<GcsLimits>;
  /** By which proxies Google is asked, also for tokens for a key; by none when absent. */
  proxyFor?: ProxyFor;
}

/** Stops a listing of a store that hands out page tokens for ever: 100,000 pages are 100 million keys. */
const pagesMax = 100_000;

const subjectOf = (key: string): string => `object "${key}"`;

/** An ObjectStore on one bucket of Google Cloud Storage. Nothing is contacted when it is made. */
export function gcsStore(config: GcsStoreConfig, { clock, proxyFor, limits = {} }: GcsStoreOptions): ObjectStore {
  const client = gcsClient(config, { ...gcsLimitsDefault, ...limits }, { clock, proxyFor });
  const path = (key: string) => client.objectPath(key);
  return checkedKeys({
    listCommonPrefixes: async (prefix, options) => {
      const found = new Set<string>();
      for await (const { prefixes = [] } of pages(client, { prefix, delimiter: '/' }, options)) {
        for (const name of prefixes) found.add(name.slice(prefix.length).replace(/\/$/, ''));
      }
      return [...found].sort();
    },
    list: (prefix, options) => list(client, prefix, options),
    exists: async (key, options) => {
      const query = { fields: 'name' };
      try {
        await client.send({ method: 'GET', path: path(key), query, subject: subjectOf(key), signal: options?.signal });
        return true;
      } catch (error) {
        if (isAppError(error, 'OBJECT_NOT_FOUND')) return false;
        throw error;
      }
    },
    get: (key, options) => {
      const request = { method: 'GET', path: path(key), query: { alt: 'media' }, subject: subjectOf(key) } as const;
      return client.send({ ...request, signal: options?.signal }, client.limits.objectBytesMax);
    },
    // A copy, because the caller may use its bytes again while they are sent.
    put: (key, body, options) => upload(client, key, Buffer.from(body), options),
    read: (key, options) => read(client, key, options),
    write: (key, pieces, options) => write(client, key, pieces, options),
    // What was not sent to its end was never stored.
    endAbandonedWrites: async (_, { signal } = {}) => {
      signal?.throwIfAborted();
      return 0;
    },
    delete: async (key, options) => {
      const request = { method: 'DELETE', path: path(key), subject: subjectOf(key), signal: options?.signal } as const;
      await client.send(request).catch((error: unknown) => {
        if (!isAppError(error, 'OBJECT_NOT_FOUND')) throw error;
      });
    },
    signedUrl: (key, options) => signedUrl(client, clock, key, options),
    close: () => client.close(),
  });
}

/** One request whatever the size: until its end has come, Google has nothing, and drops it when it does not come. */
async function upload(
  client: GcsClient,
  key: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
  options?: ObjectStoreCallOptions,
): Promise<void> {
  const { kmsKeyName, bucket } = client.config;
  await client.send({
    method: 'POST',
    path: `/upload/storage/v1/b/${encodeUrlPart(bucket)}/o`,
    query: { uploadType: 'media', name: key, ...(kmsKeyName === undefined ? {} : { kmsKeyName }) },
    // The object cannot be missing, so a 404 means the bucket.
    subject: '',
    body,
    signal: options?.signal,
  });
}

/** Sends the pieces as they come. Rejects with the source's own error when it fails. */
async function write(
  client: GcsClient,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
  options?: ObjectStoreCallOptions,
): Promise<void> {
  const signal = options?.signal;
  signal?.throwIfAborted();
  let failure: { cause: unknown } | undefined;
  const source = async function* () {
    try {
      for await (const piece of pieces) {
        signal?.throwIfAborted();
        // undici takes an empty chunk for the end in some versions; it means nothing here either way.
        if (piece.length > 0) yield piece;
      }
    } catch (cause) {
      failure = { cause };
      throw cause;
    }
  };
  const body = source();
  try {
    await upload(client, key, body, options);
  } catch (error) {
    signal?.throwIfAborted();
    throw failure === undefined ? error : failure.cause;
  } finally {
    // Ends the caller's source also when the request ended first.
    await body.return(undefined);
  }
}

async function* read(client: GcsClient, key: string, options?: ReadOptions): AsyncGenerator<Uint8Array> {
  const { signal, range } = options ?? {};
  const subject = subjectOf(key);
  const request = { method: 'GET', path: client.objectPath(key), query: { alt: 'media' } } as const;
  const { statusCode: status, headers, body } = await client.open({ ...request, subject, range, signal });
  const pieces = bodyOf(client, body, signal);
  if (range === undefined) return yield* pieces;
  const header = (name: string) => oneHeader(headers[name]);
  yield* bytesOfRange(pieces, { status, header }, range, { subject, place: storePlaceOf(client.config) });
}

async function* bodyOf(
  client: GcsClient,
  body: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    // Leaving the loop destroys the body, and with it the transfer.
    for await (const chunk of body) yield chunk as Buffer;
  } catch (cause) {
    signal?.throwIfAborted();
    throw gcsUnreachableError(cause, client.config);
  }
}

async function* list(
  client: GcsClient,
  prefix: string,
  options?: ObjectStoreCallOptions,
): AsyncGenerator<ObjectSummary> {
  for await (const { items = [] } of pages(client, { prefix }, options)) {
    for (const { name, size, timeCreated } of items) {
      yield { key: name, sizeBytes: Number(size), modifiedAtMs: timeTold(timeCreated) };
    }
  }
}

interface Page {
  items?: { name: string; size: string; timeCreated?: string }[];
  prefixes?: string[];
  nextPageToken?: string;
}

async function* pages(
  client: GcsClient,
  query: Readonly<Record<string, string>>,
  options?: ObjectStoreCallOptions,
): AsyncGenerator<Page> {
  let pageToken: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const body = await client.send({
      method: 'GET',
      path: client.objectPath(),
      query: {
        ...query,
        fields: 'kind,items(name,size,timeCreated),prefixes,nextPageToken',
        ...(pageToken === undefined ? {} : { pageToken }),
      },
      subject: '',
      signal: options?.signal,
    });
    const answer = pageIn(body.toString('utf8'), client);
    yield answer;
    pageToken = answer.nextPageToken;
    if (pageToken === undefined || pageToken === '') return;
  }
  throw new AppError('OBJECT_STORE_BAD_ANSWER', `a listing has more than ${pagesMax} pages`);
}

/** Google's own pages are 4 deep. */
const nestingMax = 32;

/** The page of an empty bucket has only its kind, which distinguishes it from other JSON. */
function pageIn(text: string, { config }: GcsClient): Page {
  const isDeep = nestsDeeper(text, 'json', nestingMax);
  const page = isDeep ? undefined : jsonObjectIn(text);
  const isCut = !isDeep && page === undefined && text.includes('"storage#objects"') && !text.trimEnd().endsWith('}');
  if (isCut) throw endsEarly(storePlaceOf(config), 'a listing');
  if (page === undefined || page.kind !== 'storage#objects' || !isPage(page)) {
    throw notWhatWasAsked(storePlaceOf(config), 'listing', { text });
  }
  return page;
}

function isPage(page: Record<string, unknown>): page is Page & Record<string, unknown> {
  const { items = [], prefixes = [], nextPageToken = '' } = page;
  const isItem = (item: unknown) => typeof item === 'object' && item !== null && 'name' in item && isText(item.name);
  return (
    Array.isArray(prefixes) &&
    prefixes.every(isText) &&
    Array.isArray(items) &&
    items.every(isItem) &&
    isText(nextPageToken)
  );
}

const isText = (value: unknown): value is string => typeof value === 'string';
