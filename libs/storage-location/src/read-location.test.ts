import type { BackupStorageLocation } from '@lateen/api-types';
import { aBackupStorageLocation, aSecret, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { readLocation, readStoreLocation, secretsOf } from './read-location.ts';

const { signal } = new AbortController();
const options = { signal, listAccountKey: () => Promise.reject(new Error('nobody is to be asked')) };
const cloud = '[default]\naws_access_key_id=A\naws_secret_access_key=S\n';
type Spec = Partial<BackupStorageLocation['spec']>;

function read(spec: Spec, secrets: ReturnType<typeof aSecret>[] = []) {
  const kube = fakeCluster({ clock: new FakeClock(), random: seededRandom(1), objects: secrets });
  return readLocation(kube, aBackupStorageLocation({ spec }), options);
}

describe('a location without a Secret', () => {
  it.each<[string, Spec]>([
    ['AWS', { config: { region: 'eu-west-1' } }],
    ['AWS with an AWS URL', { config: { s3Url: 'https://s3.cn-north-1.amazonaws.com.cn' } }],
    ['AWS with an AWS host name', { config: { s3Url: 's3.eu-west-1.amazonaws.com' } }],
  ])("of %s uses the platform's credentials of the pod", async (_, spec) => {
    const insteadOf = 'Secret velero/cloud-credentials key cloud';
    expect(await read(spec)).toMatchObject({ provider: 's3', credentials: { identity: 'pod', insteadOf } });
  });

  it.each<[string, Spec]>([
    ['of another S3 service', { config: { s3Url: 'https://minio.test' } }],
    ['of a host name that only ends like AWS', { config: { s3Url: 'https://evilamazonaws.com' } }],
    ['that names a missing Secret', { config: {}, credential: { name: 'mine', key: 'cloud' } }],
  ])('%s is rejected', async (_, spec) => {
    await expect(read(spec)).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' });
  });

  it('with a key that its Secret does not have is rejected, because credentials were intended', async () => {
    const secret = aSecret({ name: 'cloud-credentials', namespace: 'velero', values: { other: cloud } });
    await expect(read({ config: {} }, [secret])).rejects.toMatchObject({ code: 'SECRET_KEY_NOT_FOUND' });
  });
});

describe('a location of AWS with a Secret', () => {
  it('uses its keys', async () => {
    const secret = aSecret({ name: 'cloud-credentials', namespace: 'velero', values: { cloud } });
    expect(await read({ config: {} }, [secret])).toMatchObject({ credentials: { accessKeyId: 'A' } });
  });
});

describe('a location of a provider that only a plugin supports', () => {
  const spec: Spec = {
    provider: 'example.io/swift',
    config: { region: 'r', credentialsFile: '/etc/shadow' },
    objectStorage: { bucket: 'container one', prefix: '/p/' },
  };
  const readStore = (either: Spec, secrets: ReturnType<typeof aSecret>[] = []) =>
    readStoreLocation(
      fakeCluster({ clock: new FakeClock(), random: seededRandom(1), objects: secrets }),
      aBackupStorageLocation({ spec: either }),
      options,
    );

  it('has its config without a credentials file from the config, and its bucket name unchanged', async () => {
    expect(await readStore(spec)).toMatchObject({
      provider: 'plugin',
      plugin: 'example.io/swift',
      config: { region: 'r' },
      bucket: 'container one',
      prefix: 'p',
    });
    expect(await readStore(spec)).not.toHaveProperty('credentials');
  });

  it('has the credentials of the installation, or of the Secret that it names, which must exist', async () => {
    const secret = aSecret({ name: 'cloud-credentials', namespace: 'velero', values: { cloud } });
    expect(await readStore(spec, [secret])).toMatchObject({ credentials: cloud });
    const own = { ...spec, credential: { name: 'mine', key: 'k' } };
    await expect(readStore(own, [secret])).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' });
    const mine = aSecret({ name: 'mine', namespace: 'velero', values: { k: 'own' } });
    expect(await readStore(own, [secret, mine])).toMatchObject({ credentials: 'own' });
  });

  it.each<[string, Spec, RegExp]>([
    ['a bucket without a name', { ...spec, objectStorage: { bucket: '' } }, /bucket is empty/],
    ['a prefix outside the bucket', { ...spec, objectStorage: { bucket: 'b', prefix: 'a/../b' } }, /prefix/],
  ])('must follow the general rules: %s', async (_, wrong, message) => {
    await expect(readStore(wrong)).rejects.toMatchObject({
      code: 'LOCATION_INVALID',
      message: expect.stringMatching(message),
    });
  });

  it('cannot hold volume data, because no engine supports the provider', async () => {
    await expect(read(spec)).rejects.toMatchObject({
      code: 'LOCATION_UNSUPPORTED',
      message: 'provider "example.io/swift" is not supported for the data of volumes',
    });
  });
});

describe('a location with a customer key (SSE-C)', () => {
  const secret = aSecret({ name: 'cloud-credentials', namespace: 'velero', values: { cloud } });
  const bytes = Buffer.from(Array.from({ length: 32 }, (_, at) => 255 - at));
  const keySecret = (value: Uint8Array) => ({
    ...aSecret({ name: 'sse', namespace: 'velero', values: {} }),
    data: { key: Buffer.from(value).toString('base64'), other: 'AAAA' },
  });
  const config = { region: 'eu-west-1', customerKeyEncryptionSecret: 'sse/key' };
  const cluster = (value: Uint8Array = bytes) =>
    fakeCluster({ clock: new FakeClock(), random: seededRandom(1), objects: [secret, keySecret(value)] });
  const reads = (kube: ReturnType<typeof cluster>) => kube.calls.map(({ key }) => key.name);

  it('uses the key for objects of backups, and watches its Secret', async () => {
    const location = aBackupStorageLocation({ spec: { config } });
    expect(await readLocation(cluster(), location, { ...options, customerKey: true })).toMatchObject({
      customerKey: bytes,
    });
    expect(secretsOf(location).map(({ name, key }) => `${name}/${key}`)).toEqual([
      'cloud-credentials/cloud',
      'sse/key',
    ]);
  });

  it('is read without the key for engines, whose blobs it does not protect', async () => {
    const kube = cluster();
    const read = await readLocation(kube, aBackupStorageLocation({ spec: { config } }), options);
    expect(JSON.stringify(read)).not.toMatch(/customerKey/);
    expect(reads(kube)).toEqual(['cloud-credentials']);
    const inFile = aBackupStorageLocation({ spec: { config: { customerKeyEncryptionFile: '/key' } } });
    expect(JSON.stringify(await readLocation(kube, inFile, options))).not.toContain('/key');
    expect(await readLocation(kube, inFile, { ...options, customerKey: true })).toMatchObject({
      customerKeyEncryptionFile: '/key',
    });
  });

  it.each([31, 33, 0])('rejects a key of %d bytes, without printing it', async (length) => {
    const location = aBackupStorageLocation({ spec: { config } });
    await expect(
      readLocation(cluster(Buffer.alloc(length, 'k')), location, { ...options, customerKey: true }),
    ).rejects.toMatchObject({
      code: 'CREDENTIALS_INVALID',
      message: `Secret velero/sse key key has ${length} bytes; an SSE-C key has 32`,
      nextStep: expect.not.stringContaining('kk'),
    });
  });

  it('reports an invalid config before it reads the Secret', async () => {
    const kube = cluster();
    const both = aBackupStorageLocation({ spec: { config: { ...config, kmsKeyId: 'k' } } });
    await expect(readLocation(kube, both, { ...options, customerKey: true })).rejects.toMatchObject({
      message: 'you can only use one of: kmsKeyId, customerKeyEncryptionFile, or customerKeyEncryptionSecret',
    });
    expect(reads(kube)).not.toContain('sse');
  });

  it('ignores the key for other providers, and watches no invalid Secret name', () => {
    const names = (spec: Spec) => secretsOf(aBackupStorageLocation({ spec })).map(({ name }) => name);
    expect(names({ provider: 'gcp', config })).toEqual(['cloud-credentials']);
    expect(names({ provider: 'dropbox', config })).toEqual(['cloud-credentials']);
    expect(names({ config: { customerKeyEncryptionSecret: '../other/key' } })).toEqual(['cloud-credentials']);
    expect(names({ provider: 'x/y', config: { ...config, s3Url: 'https://h' } })).toEqual(['cloud-credentials', 'sse']);
  });

  it.each([config, { customerKeyEncryptionFile: '/key' }])('requires https: %j', async (given) => {
    const location = aBackupStorageLocation({ spec: { config: { s3Url: 'http://h:1', ...given } } });
    await expect(readLocation(cluster(), location, options)).rejects.toMatchObject({
      code: 'LOCATION_INVALID',
      message: 'a customer key is only sent over https, and config.s3Url "http://h:1" is an http address',
    });
  });
});

it('requests the account key from Azure when a principal may read it', async () => {
  const principal = 'AZURE_TENANT_ID=t\nAZURE_CLIENT_ID=c\nAZURE_CLIENT_SECRET=s\nAZURE_SUBSCRIPTION_ID=sub\n';
  const kube = fakeCluster({
    objects: [aSecret({ name: 'cloud-credentials', namespace: 'velero', values: { cloud: principal } })],
  });
  const read = (config: Record<string, string>) =>
    readLocation(
      kube,
      aBackupStorageLocation({ spec: { provider: 'azure', config: { storageAccount: 'acct', ...config } } }),
      { signal, listAccountKey: async (_, account) => Buffer.from(JSON.stringify(account)).toString('base64') },
    );
  const resourceManager = 'https://management.azure.com';
  const account = { resourceManager, subscriptionId: 'sub', resourceGroup: 'g', storageAccount: 'acct' };
  const accountKey = Buffer.from(JSON.stringify(account)).toString('base64');
  expect(await read({ resourceGroup: 'g' })).toMatchObject({ credentials: { kind: 'accountKey', accountKey } });
  expect(await read({ resourceGroup: 'g', useAAD: 'true' })).toMatchObject({ credentials: { kind: 'clientSecret' } });
});
