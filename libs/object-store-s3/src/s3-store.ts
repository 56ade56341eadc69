import { AppError, isAppError } from '@lateen/errors';
import type { ObjectStore, ObjectStoreCallOptions, ObjectSummary } from '@lateen/object-store';
import { type S3Client, s3Client } from './s3-client.ts';
import { type S3Limits, type S3StoreConfig, s3LimitsDefault } from './s3-config.ts';
import { writePieces } from './s3-write.ts';
import { signedUrl } from './signed-url.ts';
import { textOf, textsOf } from './xml-text.ts';

/** An ObjectStore on S3. Nothing is contacted when it is made. */
export type S3Store = ObjectStore;

/** Stops a listing of a store that hands out continuation tokens for ever: 100,000 pages are 100 million keys. */
const pagesMax = 100_000;

/** Signature version 4, path or virtual-host style, one connection pool per store. */
export function s3Store(config: S3StoreConfig, limits: Partial<S3Limits> = {}): S3Store {
  const client = s3Client(config, { ...s3LimitsDefault, ...limits });
  return {
    listCommonPrefixes: (prefix, options) => listCommonPrefixes(client, prefix, options),
    list: (prefix, options) => list(client, prefix, options),
    exists: async (key, options) => {
      try {
        await client.send({ method: 'HEAD', key, signal: options?.signal });
        return true;
      } catch (error) {
        if (isAppError(error, 'OBJECT_NOT_FOUND')) return false;
        throw error;
      }
    },
    get: async (key, options) => (await client.send({ method: 'GET', key, signal: options?.signal })).body,
    read: (key, options) => client.stream({ method: 'GET', key, signal: options?.signal }),
    write: (key, pieces, options) => writePieces(client, key, pieces, options?.signal),
    signedUrl: async (key, { ttlMs, signal }) => {
      signal?.throwIfAborted();
      return await signedUrl(config, key, ttlMs);
    },
    put: async (key, body, options) => {
      await client.send({ method: 'PUT', key, body, signal: options?.signal });
    },
    delete: async (key, options) => {
      await client.send({ method: 'DELETE', key, signal: options?.signal }).catch((error: unknown) => {
        if (!isAppError(error, 'OBJECT_NOT_FOUND')) throw error;
      });
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
        nextStep: 'Check that s3Url is the address of an S3 service, not of its web page.',
      });
    }
    yield xml;
    if (textOf(xml, 'IsTruncated') !== 'true') return;
    token = textOf(xml, 'NextContinuationToken');
    if (token === '') throw new AppError('OBJECT_STORE_BAD_ANSWER', 'a truncated listing has no continuation token');
  }
  throw new AppError('OBJECT_STORE_BAD_ANSWER', `a listing has more than ${pagesMax} pages`);
}
