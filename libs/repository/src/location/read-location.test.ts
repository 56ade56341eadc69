import type { BackupStorageLocation } from '@lateen/api-types';
import { aBackupStorageLocation, aSecret, FakeClock, fakeCluster, seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { readLocation } from './read-location.ts';

const signal = new AbortController().signal;
const cloud = '[default]\naws_access_key_id=A\naws_secret_access_key=S\n';
type Spec = Partial<BackupStorageLocation['spec']>;

function read(spec: Spec, secrets: ReturnType<typeof aSecret>[] = []) {
  const kube = fakeCluster({ clock: new FakeClock(), random: seededRandom(1), objects: secrets });
  return readLocation(kube, aBackupStorageLocation({ spec }), { signal });
}

describe('a location without a Secret', () => {
  it.each<[string, Spec]>([
    ['AWS', { config: { region: 'eu-west-1' } }],
    ['AWS by its address', { config: { s3Url: 'https://s3.cn-north-1.amazonaws.com.cn' } }],
    ['AWS by its host', { config: { s3Url: 's3.eu-west-1.amazonaws.com' } }],
  ])('of %s uses what the platform gives the pod', async (_, spec) => {
    const insteadOf = 'Secret velero/cloud-credentials key cloud';
    expect(await read(spec)).toMatchObject({ provider: 's3', credentials: { identity: 'pod', insteadOf } });
  });

  it.each<[string, Spec]>([
    ['of another S3 service', { config: { s3Url: 'https://minio.test' } }],
    ['of a name that only ends like AWS', { config: { s3Url: 'https://evilamazonaws.com' } }],
    ['that names one which is not there', { config: {}, credential: { name: 'mine', key: 'cloud' } }],
  ])('%s is refused', async (_, spec) => {
    await expect(read(spec)).rejects.toMatchObject({ code: 'SECRET_NOT_FOUND' });
  });

  it('whose Secret has not its key is refused: somebody meant to give keys', async () => {
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
