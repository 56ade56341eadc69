import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import type { AzureLocation, FsLocation, GcpLocation, S3Location } from '@lateen/storage-location';
import { describe, expect, it } from 'vitest';
import { locationStores } from './location-stores.ts';

const common = { name: 'default', bucket: 'b', prefix: '', readOnly: false };
const noPlugin = () => Promise.reject(new Error('no plugin is part of this test'));
const open = locationStores(systemClock, {}, noPlugin);

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

  it('opens Azure, and signs without a network call', async () => {
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

  it.each(['s3', 'azure', 'gcp'] as const)('uses the proxies of its environment (%s)', async (provider) => {
    const credentials = { accessKeyId: 'AKIA', secretAccessKey: 's' };
    const s3 = { endpoint: 's3.store.test', region: 'eu-1', tls: true, verifyTls: true, pathStyle: true, credentials };
    const key = { kind: 'accountKey', accountKey: 'a2V5' } as const;
    const azure = { storageAccount: 'acct', storageDomain: 'blob.store.test', tls: true, credentials: key };
    const locations: Record<typeof provider, S3Location | AzureLocation | GcpLocation> = {
      s3: { ...common, ...s3, provider: 's3' },
      azure: { ...common, ...azure, provider: 'azure' },
      gcp: { ...common, provider: 'gcp', credentials: googleKey() },
    };
    const store = locationStores(systemClock, { HTTPS_PROXY: 'no address' }, noPlugin)(locations[provider]);
    await expect(store.get('k')).rejects.toMatchObject({ code: 'PROXY_INVALID' });
    await store.close();
  });
});

function googleKey() {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const email = 'backups@project.test';
  const json = JSON.stringify({ type: 'service_account', client_email: email, private_key: privateKey });
  return { kind: 'serviceAccount', json, email, privateKey } as const;
}
