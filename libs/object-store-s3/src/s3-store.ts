import { AppError, isAppError } from '@lateen/errors';
import { type Clock, type Random, systemClock, systemRandom } from '@lateen/kernel';
import { type ObjectStore, type ObjectStoreCallOptions, type ObjectSummary, retryCalls } from '@lateen/object-store';
import { checksumOf } from './checksum.ts';
import { encryptionOf } from './encryption.ts';
import { type S3Client, s3Client } from './s3-client.ts';
import { type S3Limits, type S3StoreConfig, s3LimitsDefault } from './s3-config.ts';
import { notAWebPage } from './s3-error.ts';
import { writePieces, writeWhole } from './s3-write.ts';
import { signedUrl, unsupported } from './signed-url.ts';
import { textOf, textsOf } from './xml-text.ts';

/** An ObjectStore on S3. Nothing is contacted when it is made. */
export type S3Store = ObjectStore;

export interface S3StoreDeps {
  clock?: Clock;
  random?: Random;
}

/** Stops a listing of a store that hands out continuation tokens for ever: 100,000 pages are 100 million keys. */
const pagesMax = 100_000;

/**
 * Signature version 4, path or virtual-host style, one connection pool per store.
 * @throws LOCATION_INVALID when the configuration contradicts itself
 */
export function s3Store(config: S3StoreConfig, limits: Partial<S3Limits> = {}, deps: S3StoreDeps = {}): S3Store {
  const all = { ...s3LimitsDefault, ...limits };
  const clock = deps.clock ?? systemClock;
  const encryption = encryptionOf(config);
  const client = s3Client(config, all, clock);
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
  return {
    listCommonPrefixes: (prefix, options) => listCommonPrefixes(client, prefix, options),
    list: (prefix, options) => list(client, prefix, options),
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
    read: (key, options) => client.stream(() => reading('GET', key, options?.signal)),
    write: (key, pieces, options) => writePieces(writing, key, pieces, options?.signal),
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
  };
}

async function listCommonPrefixes(
  client: S3Client,
  prefix: string,
  options?: ObjectStoreCallOptions,
): Promise<string[]> {
  const found = new Set<string>();
  for await (const page of pages(client, { prefix, delimiter: '/' }, options)) {
    for (const block of textsOf(page, 'CommonPrefixes')) {
      found.add(textOf(block, 'Prefix').slice(prefix.length).replace(/\/$/, ''));
    }
  }
  return [...found].sort();
}

async function* list(
  client: S3Client,
  prefix: string,
  options?: ObjectStoreCallOptions,
): AsyncGenerator<ObjectSummary> {
  for await (const page of pages(client, { prefix }, options)) {
    for (const block of textsOf(page, 'Contents')) {
      yield { key: textOf(block, 'Key'), sizeBytes: Number(textOf(block, 'Size')) };
    }
  }
}

async function* pages(
  client: S3Client,
  query: Readonly<Record<string, string>>,
  options?: ObjectStoreCallOptions,
): AsyncGenerator<string> {
  let token: string | undefined;
  for (let page = 0; page < pagesMax; page++) {
    const { body } = await client.send({
      method: 'GET',
      key: '',
      // No encoding-type=url: stores disagree on whether a "+" in it stands for itself or for a space.
      query: { 'list-type': '2', ...query, ...(token === undefined ? {} : { 'continuation-token': token }) },
      signal: options?.signal,
    });
    const xml = new TextDecoder().decode(body);
    if (!xml.includes('<ListBucketResult')) {
      throw new AppError('OBJECT_STORE_BAD_ANSWER', 'the answer to a listing is not S3 XML', {
        retry: 'later',
        nextStep: notAWebPage,
      });
    }
    yield xml;
    if (textOf(xml, 'IsTruncated') !== 'true') return;
    token = textOf(xml, 'NextContinuationToken');
    if (token === '') throw new AppError('OBJECT_STORE_BAD_ANSWER', 'a truncated listing has no continuation token');
  }
  throw new AppError('OBJECT_STORE_BAD_ANSWER', `a listing has more than ${pagesMax} pages`);
}
