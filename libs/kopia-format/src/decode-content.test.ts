import { createCipheriv, createHmac } from 'node:crypto';
import { deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { knownEncryptions } from './content-cipher.ts';
import { contentHash, knownHashes } from './content-hash.ts';
import type { ContentKeys } from './content-keys.ts';
import { contentDecoder } from './decode-content.ts';

const keysOf = (hash: string, encryption: string): ContentKeys => ({
  hash,
  hashSecret: Buffer.alloc(32, 3),
  encryption,
  encryptionSecret: Buffer.alloc(32, 4),
});
const plainKeys = keysOf('BLAKE2B-256-128', 'AES256-GCM-HMAC-SHA256');

/** A content as kopia packs it; `stored` replaces its bytes when it is compressed or invalid. */
async function packed(keys: ContentKeys, bytes: Uint8Array, compressionHeaderId = 0, stored = bytes) {
  const contentId = `k${(await contentHash(keys))(bytes)}`;
  const iv = Buffer.from(contentId.slice(-32), 'hex');
  const key = createHmac('sha256', keys.encryptionSecret).update(iv).digest();
  const nonce = Buffer.alloc(12, 5);
  const name = keys.encryption.startsWith('AES') ? 'aes-256-gcm' : 'chacha20-poly1305';
  const cipher = createCipheriv(name as 'aes-256-gcm', key, nonce, { authTagLength: 16 });
  cipher.setAAD(iv);
  const head = Buffer.alloc(compressionHeaderId === 0 ? 0 : 4);
  if (head.length > 0) head.writeUInt32BE(compressionHeaderId);
  const all = Buffer.concat([nonce, cipher.update(head), cipher.update(stored), cipher.final(), cipher.getAuthTag()]);
  return {
    packed: all,
    location: {
      contentId,
      packId: 'p1',
      offset: 7,
      length: all.length,
      originalLength: bytes.length,
      compressionHeaderId,
    },
  };
}

/** The two code paths: for few bytes and for many. */
const sizes = [0, 100, 5000];
const pairs = knownHashes.flatMap((hash) => knownEncryptions.map((encryption) => [hash, encryption] as const));
const text = Buffer.from('all work and no play\n'.repeat(100));
const corrupt = expect.objectContaining({ code: 'CONTENT_CORRUPT' });

describe('a content', () => {
  it.each(pairs)('with %s and %s is decrypted, but not with one changed bit', async (hash, encryption) => {
    const keys = keysOf(hash, encryption);
    const decode = await contentDecoder(keys);
    for (const size of sizes) {
      const one = await packed(keys, Buffer.alloc(size, 9));
      expect(Buffer.from(decode(one.location, one.packed))).toEqual(Buffer.alloc(size, 9));
      const changed = Buffer.from(one.packed);
      changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
      expect(() => decode(one.location, changed)).toThrow(corrupt);
    }
  });

  it('is read from shared memory', async () => {
    const one = await packed(plainKeys, text);
    const shared = new Uint8Array(new SharedArrayBuffer(one.packed.length));
    shared.set(one.packed);
    expect(Buffer.from((await contentDecoder(plainKeys))(one.location, shared))).toEqual(text);
  });

  it.each([
    [0x1000, gzipSync],
    [0x1102, zstdCompressSync],
    [0x1300, gzipSync],
    [0x1500, deflateRawSync],
  ])('with compression %i is decompressed, up to its length', async (id, compress) => {
    const decode = await contentDecoder(plainKeys);
    const one = await packed(plainKeys, text, id, compress(text));
    expect(Buffer.from(decode(one.location, one.packed))).toEqual(text);
    const bomb = await packed(plainKeys, text, id, compress(Buffer.alloc(50_000_000)));
    expect(() => decode(bomb.location, bomb.packed)).toThrow(corrupt);
    const garbage = await packed(plainKeys, text, id, Buffer.from('no such stream'));
    expect(() => decode(garbage.location, garbage.packed)).toThrow(corrupt);
  });

  it.each([
    [0x1200, 's2'],
    [0x1400, 'lz4'],
    [0x9900, '0x9900'],
  ])('with compression %i is left to the engine, which the error names', async (id, name) => {
    const one = await packed(plainKeys, text, id);
    const decode = await contentDecoder(plainKeys);
    expect(() => decode(one.location, one.packed)).toThrow(
      expect.objectContaining({ code: 'REPOSITORY_FORMAT_UNSUPPORTED', message: expect.stringContaining(name) }),
    );
  });

  it('is rejected when it is authentic but has another hash or length', async () => {
    const decode = await contentDecoder(plainKeys);
    const other = await packed(plainKeys, text, 0, Buffer.from(text).fill('x'));
    expect(() => decode(other.location, other.packed)).toThrow('do not have its hash');
    const longer = await packed(plainKeys, text, 0, Buffer.concat([text, text]));
    expect(() => decode(longer.location, longer.packed)).toThrow(`bytes instead of ${text.length}`);
    const cut = await packed(plainKeys, text);
    expect(() => decode(cut.location, cut.packed.subarray(0, 20))).toThrow('content k');
  });
});
