import { mkdtemp, rm } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { type AzureStoreConfig, azureStore } from '@lateen/object-store-azure';
import type { AzureLocation } from '@lateen/storage-location';
import { describeObjectStore } from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { azureAccount, startAzurite } from '../providers/azurite.ts';
import type { Emulator } from '../providers/emulator.ts';
import { keepsToRates, rates } from '../providers/keeps-to-rates.ts';
import { filesBelow, providerRig, repositoryPassword } from '../providers/provider-rig.ts';

const publicDomain = 'blob.core.windows.net';
let azurite: Emulator;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'lateen-provider-azure-'));
  azurite = await startAzurite([`${azureAccount.name}.${publicDomain}`, `${azureAccount.name}.blob.test`]);
}, 900_000);
afterAll(async () => {
  await azurite?.[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const credentials = { kind: 'accountKey', accountKey: azureAccount.key } as const;
const location = (more: Partial<AzureLocation> = {}): AzureLocation => ({
  provider: 'azure',
  name: 'default',
  bucket: 'backups',
  prefix: 'p',
  readOnly: false,
  storageAccount: azureAccount.name,
  storageDomain: publicDomain,
  tls: true,
  credentials,
  ...more,
});

/** Every host name resolves to the emulator and its port. */
const toEmulator = (config: AzureStoreConfig, limits = {}) =>
  azureStore(
    { ...config, storageDomain: `blob.test:${azurite.port}`, caPem: azurite.caPem },
    { clock: systemClock, lookup: toLoopback, limits },
  );
const toLoopback = ((_name: string, options: { all?: boolean }, done: (...answer: unknown[]) => void) =>
  options.all === true ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4)) as never;

async function makeContainer(name: string): Promise<void> {
  const { BlobServiceClient, StorageSharedKeyCredential } = await import('@azure/storage-blob');
  const service = new BlobServiceClient(
    `https://127.0.0.1:${azurite.port}/${azureAccount.name}`,
    new StorageSharedKeyCredential(azureAccount.name, azureAccount.key),
    { tlsOptions: { ca: azurite.caPem } } as never,
  );
  await service.getContainerClient(name).createIfNotExists();
}

const partBytes = 256 * 1024;

describeObjectStore('Azure Blob Storage on Azurite', async () => {
  await makeContainer('suite');
  return {
    store: toEmulator(location({ bucket: 'suite' }), { partBytes }),
    missing: toEmulator(location({ bucket: 'missing' }), { partBytes }),
    fetchSigned,
    // Azure deletes uncommitted blocks by itself (README of the store).
    leftovers: async () => [],
    keepsUnfinished: false,
    severalPartsBytes: 3 * partBytes + 5,
    refusedKeys: ['odd/back\\slash'],
    close: async () => {},
  };
});

function fetchSigned(url: string): Promise<{ status: number; body: Uint8Array }> {
  const options: RequestOptions = { ca: azurite.caPem, lookup: toLoopback };
  return new Promise((resolve, reject) => {
    request(url, options, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
    })
      .on('error', reject)
      .end();
  });
}

describe('a location on Azure', { timeout: 600_000 }, () => {
  const rigOf = (more: Partial<AzureLocation> = {}) =>
    providerRig({
      directory,
      location: location(more),
      openStore: (resolved) => toEmulator(resolved as AzureLocation),
      environment: azurite.environment,
    });

  it('holds a kopia repository; its key is in no argument, log or remaining file', async () => {
    await makeContainer('backups');
    const rig = await rigOf();
    expect(await rig.engines.kopia.initialise()).toBe('created');
    expect(await rig.engines.kopia.initialise()).toBe('opened');
    expect(await rig.roundTrip('kopia', 'of kopia')).toBe('of kopia');
    const keys = await rig.withStore(async (store) =>
      (await Array.fromAsync(store.list('p/kopia/shop/'))).map(({ key }) => key),
    );
    expect(keys).toEqual(expect.arrayContaining(['p/kopia/shop/kopia.repository', 'p/kopia/shop/udmrepo.Repository']));
    const said = JSON.stringify([rig.seen.map(({ args }) => args), rig.log]);
    for (const secret of [azureAccount.key, repositoryPassword]) expect(said).not.toContain(secret);
    expect(await rig.leftovers()).toEqual([]);
  });

  it('holds a restic repository', async () => {
    await makeContainer('backups');
    const rig = await rigOf();
    const identifier = 'azure:backups:/p/restic/shop';
    expect(await rig.engines.restic.initialise()).toEqual({ outcome: 'created', identifier });
    expect(await rig.roundTrip('restic', 'of restic')).toBe('of restic');
    expect(JSON.stringify(rig.seen.map(({ args }) => args))).not.toContain(azureAccount.key);
    expect(await rig.leftovers()).toEqual([]);
  });

  it('limits both engines to its rates', async () => {
    await makeContainer('backups');
    await keepsToRates(await rigOf(rates));
  });

  it('reports a missing container and a wrong key', async () => {
    const missing = await rigOf({ bucket: 'nowhere' });
    await expect(missing.engines.kopia.initialise()).rejects.toMatchObject({ code: 'BUCKET_NOT_FOUND' });
    const accountKey = Buffer.from('another key').toString('base64');
    const wrong = await rigOf({ credentials: { kind: 'accountKey', accountKey } });
    const refused = await wrong.engines.kopia.initialise().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'OBJECT_STORE_FORBIDDEN' });
    expect(String(refused)).not.toContain(accountKey);
    expect(await filesBelow(join(directory, 'memory'))).toEqual([]);
  });
});
