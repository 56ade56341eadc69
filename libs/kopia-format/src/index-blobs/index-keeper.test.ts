import { createCipheriv, createHmac } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, systemRandom } from '@lateen/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownEncryptions } from '../content-cipher.ts';
import { blobStore } from '../golden/golden-store.ts';
import { IndexKeeper } from './index-keeper.ts';

const { signal } = new AbortController();
let scratch: string;
beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'lateen-keeper-'));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

const hash = '0123456789abcdef0123456789abcdef';
const blobId = `xn0_${hash}-s1-c1`;
const plain = Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 31 + (at >> 8)) % 256));

function sealed(encryption: string, encryptionSecret: Uint8Array): Buffer {
  const iv = Buffer.from(hash, 'hex');
  const key = createHmac('sha256', encryptionSecret).update(iv).digest();
  const nonce = Buffer.from('000102030405060708090a0b', 'hex');
  const name = encryption.startsWith('AES') ? 'aes-256-gcm' : 'chacha20-poly1305';
  const cipher = createCipheriv(name as 'aes-256-gcm', key, nonce, { authTagLength: 16 });
  cipher.setAAD(iv);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

const places = [
  ['memory', 1e6, () => scratch, [blobId]],
  ['scratch', 0, () => scratch, [blobId]],
  // Once for verification, once for the nonce, then one request per read.
  ['the store', 0, () => join(scratch, 'missing'), [blobId, blobId, blobId, blobId]],
] as const;

describe.each(knownEncryptions)('index blobs under %s', (encryption) => {
  const keys = {
    hash: 'BLAKE2B-256-128',
    hashSecret: Buffer.alloc(32, 1),
    encryption,
    encryptionSecret: Buffer.alloc(32, 2),
  };
  const keeper = (blobs: ReadonlyMap<string, Uint8Array>, memoryBytes: number, scratchDirectory: string) => {
    const repository = blobStore(blobs);
    // In chunks that match no boundary.
    const { read } = repository.store;
    repository.store.read = async function* (key, options) {
      for await (const piece of read(key, options))
        for (let at = 0; at < piece.length; at += 7) yield piece.subarray(at, at + 7);
    };
    const options = { repository, keys, memoryBytes, scratchDirectory, random: systemRandom, log: silentLogger };
    return { keeper: new IndexKeeper(options), requests: repository.requests };
  };
  const stored = sealed(encryption, keys.encryptionSecret);
  const listed = { blobId, sizeBytes: stored.length };

  it.each(places)('are read from %s, and leave no file there', async (_, memoryBytes, directory, requests) => {
    const made = keeper(new Map([[blobId, stored]]), memoryBytes, directory());
    const source = await made.keeper.keep(listed, signal);
    expect(source.size).toBe(plain.length);
    expect(Buffer.from(await source.read(0, 17, signal))).toEqual(plain.subarray(0, 17));
    expect(Buffer.from(await source.read(4001, 999, signal))).toEqual(plain.subarray(4001));
    expect(await readdir(scratch)).toEqual([]);
    await source.close();
    expect(made.requests).toEqual(requests.slice(0, made.requests.length));
    expect(made.requests.length).toBe(requests.length);
  });

  it.each(places)(
    'are rejected before anything is read from %s when one bit is changed',
    async (_, bytes, directory) => {
      for (const at of [0, 12, 13, 2000, stored.length - 1]) {
        const changed = Buffer.from(stored);
        changed[at] = (changed[at] ?? 0) ^ 4;
        const made = keeper(new Map([[blobId, changed]]), bytes, directory());
        await expect(made.keeper.keep(listed, signal)).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
      }
      const cut = keeper(new Map([[blobId, stored.subarray(0, 20)]]), bytes, directory());
      await expect(cut.keeper.keep(listed, signal)).rejects.toMatchObject({ code: 'INDEX_CORRUPT' });
      expect(await readdir(scratch)).toEqual([]);
    },
  );
});
