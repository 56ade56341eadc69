import { readFileSync } from 'node:fs';
import { AppError } from '@lateen/errors';
import type { RepositoryStore } from '../repository-store.ts';

/**
 * A repository that kopia 0.22.3 has made (format version 3, `BLAKE2B-256-128`, `AES256-GCM-HMAC-SHA256`, policy zstd) of
 * `empty`, `folder/inner.txt`, `hello.txt` (mode 4750, time with nanoseconds), `link` and `zeros`; for tests.
 */
export const goldenPassword = 'golden';
const listPrefix = 'kopia/shop/';

/** Blob names and bytes; a test may change the map. */
export const goldenBlobs = (): Map<string, Uint8Array> => {
  const text = readFileSync(new URL('./repository.json', import.meta.url), 'utf8');
  const stored = JSON.parse(text) as Record<string, string>;
  return new Map(Object.entries(stored).map(([blobId, base64]) => [blobId, Buffer.from(base64, 'base64')]));
};

/** The blobs as a bucket has them, and what was asked of it. */
export function blobStore(blobs: ReadonlyMap<string, Uint8Array>): RepositoryStore & { requests: string[] } {
  const requests: string[] = [];
  const bytesOf = (key: string): Uint8Array => {
    requests.push(key.slice(listPrefix.length));
    const bytes = blobs.get(key.slice(listPrefix.length));
    if (bytes === undefined) throw new AppError('OBJECT_NOT_FOUND', `there is no ${key}`);
    return bytes;
  };
  return {
    requests,
    listPrefix,
    keyOf: (blobId) => `${listPrefix}${blobId}`,
    store: {
      get: async (key) => bytesOf(key),
      read: async function* (key, { range } = {}) {
        const bytes = bytesOf(key);
        yield range === undefined ? bytes : bytes.subarray(range.offset, range.offset + range.length);
      },
      list: async function* (prefix) {
        for (const [blobId, { length }] of [...blobs].sort(([a], [b]) => (a < b ? -1 : 1)))
          if (`${listPrefix}${blobId}`.startsWith(prefix)) yield { key: `${listPrefix}${blobId}`, sizeBytes: length };
      },
    },
  };
}
