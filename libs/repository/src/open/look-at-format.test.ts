import { AppError } from '@lateen/errors';
import type { ResolvedLocation } from '@lateen/storage-location';
import { describe, expect, it } from 'vitest';
import { lookAtFormat } from './look-at-format.ts';

const { signal } = new AbortController();
const inBucket = {
  provider: 's3',
  bucket: 'b',
  prefix: 'p',
  endpoint: 's3.test',
  tls: true,
} as unknown as ResolvedLocation;
const inDirectory = { provider: 'fs', path: '/backups', prefix: '' } as unknown as ResolvedLocation;

const storeOf = (objects: Record<string, string>) => ({
  read: async function* (key: string) {
    const text = objects[key];
    if (text === undefined) throw new AppError('OBJECT_NOT_FOUND', key);
    for (let at = 0; at < text.length; at += 1_000) yield Buffer.from(text.slice(at, at + 1_000));
  },
});
const kopia = { engine: 'kopia', volumeNamespace: 'shop' } as const;
const sound = '{"tool":"kopia","uniqueID":"abc=","encryptedBlockFormat":"xyz="}';

describe('lookAtFormat', () => {
  it.each([
    ['in a bucket', inBucket, 'p/kopia/shop/kopia.repository', kopia],
    ['in a directory', inDirectory, 'kopia/shop/kopia.repository.f', kopia],
    ['in restic format', inBucket, 'p/restic/shop/config', { ...kopia, engine: 'restic' }],
  ] as const)('finds the format readable %s', async (_, location, key, repository) => {
    expect(await lookAtFormat(storeOf({ [key]: sound }), location, repository, { signal })).toMatchObject({
      isReadable: true,
    });
  });

  it.each([
    ['truncated', sound.slice(0, 40)],
    ['of another kind', 'PK\u0003\u0004'],
    ['empty', ''],
    ['too long', `${sound}${' '.repeat(200_000)}`],
    ['without an ID', '{"uniqueID":""}'],
    ['missing', undefined],
  ])('finds the format unreadable when it is %s', async (_, text) => {
    const store = storeOf(text === undefined ? {} : { 'p/kopia/shop/kopia.repository': text });
    expect((await lookAtFormat(store, inBucket, kopia, { signal })).isReadable).toBe(false);
  });

  it('has a fingerprint that changes only with the format', async () => {
    const fingerprintOf = async (text: string) => {
      const look = await lookAtFormat(storeOf({ 'p/kopia/shop/kopia.repository': text }), inBucket, kopia, { signal });
      return look.fingerprint;
    };
    expect(await fingerprintOf(sound)).toBe(await fingerprintOf(sound));
    expect(await fingerprintOf(sound.replace('xyz', 'xyZ'))).not.toBe(await fingerprintOf(sound));
  });

  it('fails when the store does not answer', async () => {
    const store = {
      // biome-ignore lint/correctness/useYield: nothing comes
      read: async function* (): AsyncGenerator<Uint8Array> {
        throw new AppError('OBJECT_STORE_UNAVAILABLE', 'no answer');
      },
    };
    await expect(lookAtFormat(store, inBucket, kopia, { signal })).rejects.toMatchObject({
      code: 'OBJECT_STORE_UNAVAILABLE',
    });
  });
});
