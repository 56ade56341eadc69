import { systemRandom } from '@lateen/kernel';
import { s3Store } from '@lateen/object-store-s3';
import { readLocation, type S3Location } from '@lateen/storage-location';
import {
  aBackupStorageLocation,
  aSecret,
  FakeClock,
  fakeCluster,
  seededRandom,
  testCertificates,
} from '@lateen/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { providerRig, repositoryPassword } from '../providers/provider-rig.ts';
import { type EncryptingProxy, encryptingProxy } from '../repository/encrypting-proxy.ts';
import { type KeyedLocation, type S3Server, s3Keys, startS3Server } from '../repository/s3-server.ts';

const { ca, server: certificate } = testCertificates();
const key = systemRandom.suffix(32);
const sentKey = Buffer.from(key).toString('base64');
const signal = new AbortController().signal;
let server: S3Server;
let proxy: EncryptingProxy;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
  proxy = await encryptingProxy(server.endpoint, certificate);
}, 900_000);
afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

/** Resolves the location as a validation or a mover does, from an API server in memory. */
async function read(prefix: string, customerKey: boolean): Promise<KeyedLocation> {
  const cloud = `[default]\naws_access_key_id=${s3Keys.accessKeyId}\naws_secret_access_key=${s3Keys.secretAccessKey}\n`;
  const kube = fakeCluster({
    clock: new FakeClock(),
    random: seededRandom(1),
    objects: [
      aSecret({ name: 'cloud-credentials', namespace: 'velero', values: { cloud } }),
      aSecret({ name: 'sse', namespace: 'velero', values: { key } }),
    ],
  });
  const location = aBackupStorageLocation({
    spec: {
      objectStorage: { bucket: 'backups', prefix, caCert: Buffer.from(ca).toString('base64') },
      config: {
        region: 'us-east-1',
        s3Url: `https://${proxy.endpoint}`,
        s3ForcePathStyle: 'true',
        customerKeyEncryptionSecret: 'sse/key',
      },
    },
  });
  return (await readLocation(kube, location, {
    signal,
    customerKey,
    listAccountKey: async () => undefined,
  })) as S3Location as KeyedLocation;
}

describe('a location with a customer key in a Secret', { timeout: 600_000 }, () => {
  it('stores the objects of backups with that key only', async () => {
    const store = s3Store(await read('objects', true));
    const without = s3Store(await read('objects', false));
    try {
      await store.put('objects/backups/b1/velero-backup.json', Buffer.from('{}'));
      await store.write('objects/backups/b1/b1.tar.gz', pieces());
      expect(Buffer.from(await store.get('objects/backups/b1/velero-backup.json')).toString()).toBe('{}');
      expect(Buffer.concat(await Array.fromAsync(store.read('objects/backups/b1/b1.tar.gz')))).toHaveLength(largeBytes);
      expect(await store.listCommonPrefixes('objects/backups/')).toEqual(['b1']);
      expect(new Set(proxy.keys.values())).toEqual(new Set([sentKey]));
      await expect(without.get('objects/backups/b1/velero-backup.json')).rejects.toThrow('InvalidRequest');
      await expect(store.signedUrl('objects/backups/b1/b1.tar.gz', { ttlMs: 1_000 })).rejects.toMatchObject({
        code: 'SIGNED_URL_UNSUPPORTED',
      });
    } finally {
      await store.close();
      await without.close();
    }
  });

  it('can have repositories without the key, because their password encrypts them', async () => {
    const location = await read('repositories', false);
    const rig = await providerRig({
      directory: server.directory,
      location,
      openStore: (resolved) => s3Store(resolved as KeyedLocation),
    });
    expect(await rig.engines.kopia.initialise()).toBe('created');
    expect(await rig.engines.kopia.initialise()).toBe('opened');
    expect(await rig.roundTrip('kopia', 'of kopia')).toBe('of kopia');
    expect((await rig.engines.restic.initialise()).outcome).toBe('created');
    expect((await rig.engines.restic.initialise()).outcome).toBe('opened');
    expect(await rig.roundTrip('restic', 'of restic')).toBe('of restic');
    const ofEngines = [...proxy.keys].filter(([path]) => path.startsWith('/backups/repositories/'));
    expect(ofEngines.length).toBeGreaterThan(5);
    expect(ofEngines.filter(([, sent]) => sent !== undefined)).toEqual([]);
    const said = JSON.stringify([rig.seen.map(({ args, env }) => [args, env]), rig.log]);
    for (const secret of [key, sentKey]) expect(said).not.toContain(secret);
    expect(JSON.stringify(rig.seen.map(({ args }) => args))).not.toContain(repositoryPassword);
    expect(await rig.leftovers()).toEqual([]);
  });
});

/** More than one part of an upload. */
const largeBytes = 20 * 2 ** 20;

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (let left = largeBytes; left > 0; left -= 2 ** 20) yield new Uint8Array(2 ** 20);
}
