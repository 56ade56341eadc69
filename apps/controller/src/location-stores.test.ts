import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import type { AzureLocation, FsLocation, GcpLocation } from '@lateen/repository';
import { describe, expect, it } from 'vitest';
import { locationStores } from './location-stores.ts';

const common = { name: 'default', bucket: 'b', prefix: '', readOnly: false };
const open = locationStores(systemClock, {});

describe('locationStores', () => {
  it('opens a directory', async () => {
    const path = await mkdtemp(join(tmpdir(), 'lateen-stores-'));
    try {
      await writeFile(join(path, 'k'), 'v');
      const location: FsLocation = { ...common, provider: 'fs', path };
      const store = open(location);
      expect(Buffer.from(await store.get('k')).toString()).toBe('v');
      await store.close();
    } finally {
      await rm(path, { recursive: true });
    }
  });

  it('opens Azure, and signs without contacting anybody', async () => {
    const location: AzureLocation = {
      ...common,
      provider: 'azure',
      storageAccount: 'acct',
      storageDomain: 'blob.core.windows.net',
      tls: true,
      credentials: { kind: 'accountKey', accountKey: 'a2V5' },
    };
    const store = open(location);
    expect(await store.signedUrl('k', { ttlMs: 1_000 })).toMatch(
      /^https:\/\/acct\.blob\.core\.windows\.net\/b\/k\?.*sig=/,
    );
    await store.close();
  });

  it('opens Google Cloud Storage', async () => {
    const location: GcpLocation = { ...common, provider: 'gcp', credentials: { kind: 'ambient' } };
    const store = open(location);
    await expect(store.signedUrl('k', { ttlMs: 1_000 })).rejects.toMatchObject({ code: 'SIGNED_URL_UNSUPPORTED' });
    await store.close();
  });
});
