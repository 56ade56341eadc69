import type { S3Location } from '@lateen/storage-location';
import { describe, expect, it } from 'vitest';
import { resticPlace } from './restic-place.ts';

const location: S3Location = {
  provider: 's3',
  name: 'default',
  bucket: 'b',
  prefix: 'p/q',
  region: '',
  endpoint: 'store.test:9000',
  tls: false,
  verifyTls: true,
  pathStyle: true,
  readOnly: false,
  credentials: { accessKeyId: 'A', secretAccessKey: 'S' },
};

describe('resticPlace', () => {
  it.each<[Partial<S3Location>, string, string]>([
    [{}, 's3:http://store.test:9000/b/p/q/restic/shop', 'p/q/restic/shop/'],
    [{ prefix: '' }, 's3:http://store.test:9000/b/restic/shop', 'restic/shop/'],
    [{ tls: true }, 's3:https://store.test:9000/b/p/q/restic/shop', 'p/q/restic/shop/'],
    [
      { tls: true, endpoint: 's3-eu-west-1.amazonaws.com' },
      's3:s3-eu-west-1.amazonaws.com/b/p/q/restic/shop',
      'p/q/restic/shop/',
    ],
  ])('of %j is %s', (more, identifier, prefix) => {
    const place = resticPlace({ ...location, ...more }, 'shop');
    expect(place).toMatchObject({ identifier, prefix });
    expect(place.location).toEqual({ ...location, ...more });
  });

  it.each([
    ['s3:https://other.test/c/x/y/', 's3:https://other.test/c/x/y/shop', 'other.test', true, 'c', 'x/y/shop/'],
    ['s3:http://other.test:1/c', 's3:http://other.test:1/c/shop', 'other.test:1', false, 'c', 'shop/'],
    ['s3:other.test/c', 's3:other.test/c/shop', 'other.test', true, 'c', 'shop/'],
  ])(
    'config.resticRepoPrefix %s selects %s, whatever else the location says',
    (prefix, identifier, endpoint, tls, bucket, blobs) => {
      const place = resticPlace({ ...location, resticRepoPrefix: prefix }, 'shop');
      expect(place).toMatchObject({ identifier, prefix: blobs, location: { endpoint, tls, bucket } });
    },
  );

  it.each([
    'azure:c:/x',
    's3:',
    's3:host',
    's3:http://key:secret@host/b',
    's3:https://host?x/b',
    's3:https://host/b?policy',
    's3:https://host/b#x',
    's3:https://host/../b',
    's3:https://host/b/../c',
    's3:https://host/b/./c',
    '/data',
  ])('rejects %j', (prefix) => {
    expect(() => resticPlace({ ...location, resticRepoPrefix: prefix }, 'shop')).toThrow(
      expect.objectContaining({ code: 'LOCATION_INVALID' }),
    );
  });
});
