import { AppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import { describe, expect, it } from 'vitest';
import { openStoreBy } from './open-store.ts';
import type { ResolvedLocation, StoreLocation } from './resolved-location.ts';

const common = { name: 'default', bucket: 'b', prefix: '', readOnly: false };
const azure: ResolvedLocation = {
  ...common,
  provider: 'azure',
  storageAccount: 'a',
  storageDomain: 'd',
  tls: true,
  credentials: { kind: 'accountKey', accountKey: 'k' },
};
const fs: ResolvedLocation = { ...common, provider: 'fs', path: '/data' };

/** A store that answers `exists` and counts how often it is closed. */
function storeOf(closed: string[], name: string): ObjectStore {
  const refuse = () => {
    throw new Error('not part of this test');
  };
  return {
    listCommonPrefixes: refuse,
    list: async function* () {
      yield { key: `${name}-key`, sizeBytes: 1 };
    },
    exists: async () => true,
    get: refuse,
    put: refuse,
    read: refuse,
    write: refuse,
    endAbandonedWrites: refuse,
    delete: refuse,
    signedUrl: async () => `https://${name}`,
    close: async () => void closed.push(name),
  };
}

const s3 = () => {
  throw new Error('not asked for');
};

describe('openStoreBy', () => {
  it("creates the provider's store on first use, once, and closes it", async () => {
    const made: string[] = [];
    const closed: string[] = [];
    const open = openStoreBy({
      s3,
      azure: async ({ storageAccount }) => {
        made.push(storageAccount);
        return storeOf(closed, 'azure');
      },
    });
    const store = open(azure);
    expect(made).toEqual([]);
    expect(await Promise.all([store.exists('a'), store.signedUrl('b', { ttlMs: 1 })])).toEqual([true, 'https://azure']);
    expect(await Array.fromAsync(store.list(''))).toEqual([{ key: 'azure-key', sizeBytes: 1 }]);
    expect(made).toEqual(['a']);
    await store.close();
    expect(closed).toEqual(['azure']);
  });

  it('closes an unused store without creating it', async () => {
    const make = () => Promise.reject(new Error('made'));
    await openStoreBy({ s3, fs: make }).call(undefined, fs).close();
  });

  it('retries after a failed creation', async () => {
    let failures = 1;
    const fsMaker = async () => {
      if (failures-- > 0) throw new AppError('X', 'no SDK');
      return storeOf([], 'fs');
    };
    const store = openStoreBy({ s3, fs: fsMaker })(fs);
    await expect(store.exists('a')).rejects.toThrow('no SDK');
    expect(await store.exists('a')).toBe(true);
  });

  it('rejects an unknown provider', () => {
    expect(() => openStoreBy({ s3 })(azure)).toThrow(expect.objectContaining({ code: 'LOCATION_UNSUPPORTED' }));
    const plugin = { provider: 'plugin', plugin: 'example.io/swift', config: {} } as unknown as StoreLocation;
    expect(() => openStoreBy({ s3 })(plugin)).toThrow('provider "example.io/swift" is not supported');
  });
});
