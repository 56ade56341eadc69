import { AppError, isAppError } from '@lateen/errors';
import { type Clock, type Random, systemClock, systemRandom } from '@lateen/kernel';
import {
  checkedKeys,
  endsEarly,
  isHostAndPort,
  notWhatWasAsked,
  type ObjectStore,
  type ObjectStoreCallOptions,
  type ObjectSummary,
  type ProxyFor,
  retryCalls,
  type StorePlace,
  textOf,
  textsOf,
  timeTold,
} from '@lateen/object-store';
import { endUploads } from './abandoned-uploads.ts';
import { checksumOf } from './checksum.ts';
import { encryptionOf } from './encryption.ts';
import { type S3Client, s3Client } from './s3-client.ts';
import { type S3Limits, type S3StoreConfig, s3LimitsDefault } from './s3-config.ts';
import { storePlaceOf } from './s3-error.ts';
import { writePieces, writeWhole } from './s3-write.ts';
import { signedUrl, unsupported } from './signed-url.ts';

/** An ObjectStore on S3. Nothing is contacted when it is made. */
export type S3Store = ObjectStore;

export interface S3StoreDeps {
  clock?: Clock;
  random?: Random;
  /** By which proxies the store, and the token service of a role, are asked; by none when absent. */
  proxyFor?: ProxyFor;
}

/** Stops a listing of a store that hands out continuation tokens for ever: 100,000 pages are 100 million keys. */
const pagesMax = 100_000;

/**
 * Signature version 4, path or virtual-host style, one connection pool per store.
 * @throws LOCATION_INVALID when the configuration contradicts itself, or its endpoint is more than a host
 */
export function s3Store(config: S3StoreConfig, limits: Partial<S3Limits> = {}, deps: S3StoreDeps = {}): S3Store {
  const all = { ...s3LimitsDefault, ...limits };
  const clock = deps.clock ?? systemClock;
  checkEndpoint(config);
  const encryption = encryptionOf(config);
  const client = s3Client(config, all, { clock, proxyFor: deps.proxyFor });
  const listing = { client, place: storePlaceOf(config), bytesMax: all.listingBytesMax };
  const writing = {
    client,
    encryption,
    checksum: checksumOf(config.checksumAlgorithm),
    tagging: config.tagging,
    partBytes: all.partBytes,
    retry: retryCalls({ clock, random: deps.random ?? systemRandom }),
  };
  const reading = async (method: 'GET' | 'HEAD', key: string, signal: AbortSignal | undefined) => ({
    method,
    key,
    headers: await encryption.ofBytes(),
    signal,
  });
  return checkedKeys({
    listCommonPrefixes: (prefix, options) => listCommonPrefixes(listing, prefix, options),
    list: (prefix, options) => list(listing, prefix, options),
    exists: async (key, options) => {
      try {
        await client.send(await reading('HEAD', key, options?.signal));
        return true;
      } catch (error) {
        if (isAppError(error, 'OBJECT_NOT_FOUND')) return false;
        throw error;
      }
    },
    get: async (key, options) => (await client.send(await reading('GET', key, options?.signal))).body,
    put: (key, body, options) => writeWhole(writing, key, body, options?.signal),
    read: (key, options) => client.stream(() => reading('GET', key, options?.signal), options?.range),
    write: (key, pieces, options) => writePieces(writing, key, pieces, options?.signal),
    endAbandonedWrites: (key, options) => endUploads(listing, key, options?.signal),
    delete: async (key, options) => {
      await client.send({ method: 'DELETE', key, signal: options?.signal }).catch((error: unknown) => {
        if (!isAppError(error, 'OBJECT_NOT_FOUND')) throw error;
      });
    },
    signedUrl: async (key, { ttlMs, signal }) => {
      signal?.throwIfAborted();
      if (encryption.needsKey) {
        throw unsupported(
          `object "${key}" is encrypted with a customer key, which a URL cannot carry`,
          'Download it with the key, or encrypt with config.serverSideEncryption instead.',
        );
      }
      return await signedUrl(await client.signing(signal), { key, ttlMs, publicUrl: config.publicUrl }, clock);
    },
    close: () => client.close(),
  });
}

/** Whatever follows a host in a URL would lead signed requests somewhere else. */
function checkEndpoint({ endpoint }: S3StoreConfig): void {
  if (isHostAndPort(endpoint)) return;
  throw new AppError('LOCATION_INVALID', `${JSON.stringify(endpoint.slice(0, 80))} is not a host of an object store`);
}

/** What a listing needs. */
interface Listing {
  client: S3Client;
  place: StorePlace;
  bytesMax: number;
}

async function listCommonPrefixes(
  listing: Listing,
  prefix: string,
  options?: ObjectStoreCallOptions,
): Promise<string[]> {
  const found = new Set<string>();
  for await (const page of pages(listing, { prefix, delimiter: '/' }, options)) {
    for (const block of textsOf(page, 'CommonPrefixes')) {
      found.add(textOf(block, 'Prefix').slice(prefix.length).replace(/\/$/, ''));
    }
  }
  return [...found].sort();
}

async function* list(
  listing: Listing,
  prefix: string,
  options?: ObjectStoreCallOptions,
): AsyncGenerator<ObjectSummary> {
  for await (const page of pages(listing, { prefix }, options)) {
    for (const block of textsOf(page, 'Contents')) {
      yield {
        key: textOf(block, 'Key'),
        sizeBytes: Number(textOf(block, 'Size')),
        modifiedAtMs: timeTold(textOf(block, 'LastModified')),
      };
    }
  }
}

async function* pages(
  { client, place, bytesMax }: Listing,
  query: Readonly<Record<string, string>>,
  options?: ObjectStoreCallOptions,
): AsyncGenerator<string> {
  let token: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    // No encoding-type=url: stores disagree on whether a "+" in it stands for itself or for a space.
    const asked = { 'list-type': '2', ...query, ...(token === undefined ? {} : { 'continuation-token': token }) };
    const wanted = { method: 'GET', key: '', query: asked, signal: options?.signal } as const;
    const { body, header } = await client.send(wanted, bytesMax);
    const xml = new TextDecoder().decode(body);
    if (!xml.includes('<ListBucketResult')) {
      throw notWhatWasAsked(place, 'listing', { text: xml, contentType: header('content-type') });
    }
    if (!isWhole(xml)) throw endsEarly(place, 'a listing');
    yield xml;
    if (textOf(xml, 'IsTruncated') !== 'true') return;
    token = textOf(xml, 'NextContinuationToken');
    if (token === '') throw endsEarly(place, 'a listing');
  }
  throw new AppError('OBJECT_STORE_BAD_ANSWER', `a listing has more than ${pagesMax} pages`);
}

/** An empty one may be a single tag. What is listed is closed, or it would be passed over. */
const isWhole = (xml: string): boolean =>
  /(?:<\/ListBucketResult>|<ListBucketResult[^>]*\/>)\s*$/.test(xml.slice(-1_000)) &&
  ['CommonPrefixes', 'Contents'].every((name) => textsOf(xml, name).length === begun(xml, name));

const begun = (xml: string, name: string): number => xml.match(new RegExp(`<${name}[\\s>]`, 'g'))?.length ?? 0;
