import { FakeClock } from '@lateen/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { bucketRegion } from './bucket-region.ts';
import type { S3StoreConfig } from './s3-config.ts';
import { s3Store } from './s3-store.ts';
import { answer, closeServers, storeOn, testKeys } from './test-server/store-on-server.ts';

afterEach(closeServers);

const clock = new FakeClock('2030-01-01T00:00:00Z');
const config: S3StoreConfig = {
  bucket: 'bkt',
  endpoint: 'store.test',
  tls: true,
  verifyTls: true,
  region: 'eu-1',
  pathStyle: true,
  credentials: { ...testKeys, sessionToken: 'tok' },
};
const urlFor = async (more: Partial<S3StoreConfig> = {}, ttlMs = 600_000) =>
  new URL(await s3Store({ ...config, ...more }, {}, { clock }).signedUrl('a/b c', { ttlMs }));

describe('a signed URL', () => {
  it('contains key ID, expiration and operation, but not the secret key', async () => {
    const url = await urlFor();
    expect(`${url.origin}${url.pathname}`).toBe('https://store.test/bkt/a/b%20c');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': 'AKIATEST/20300101/eu-1/s3/aws4_request',
      'X-Amz-Date': '20300101T000000Z',
      'X-Amz-Expires': '600',
      'X-Amz-Security-Token': 'tok',
      'X-Amz-SignedHeaders': 'host',
      'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(url.toString()).not.toContain('secret-value-1');
    expect(await urlFor()).toEqual(url);
  });

  it('uses the public address when there is one', async () => {
    const url = await urlFor({ publicUrl: 'http://minio.example:9000' });
    expect(url.origin).toBe('http://minio.example:9000');
    const hosted = await urlFor({ publicUrl: 'https://minio.example', pathStyle: false });
    expect(hosted.host).toBe('bkt.minio.example');
  });

  it.each<[string, Partial<S3StoreConfig>, number, RegExp]>([
    ['for more than a week', {}, 8 * 86_400_000, /for 1s to 168h0m0s, not for 192h0m0s/],
    ['for no time', {}, 0, /not for 0/],
    ['for a path', { publicUrl: 'https://h/path' }, 1_000, /config\.publicUrl "https:\/\/h\/path"/],
    ['for nonsense', { publicUrl: 'h' }, 1_000, /config\.publicUrl "h"/],
    ['for an object with a customer key', { customerKeyEncryptionFile: '/key' }, 1_000, /customer key/],
  ])('is not created %s', async (_, more, ttlMs, message) => {
    await expect(urlFor(more, ttlMs)).rejects.toMatchObject({
      code: 'SIGNED_URL_UNSUPPORTED',
      message: expect.stringMatching(message),
    });
  });

  it('needs no request when the region is known', async () => {
    const store = await storeOn(() => expect.unreachable(), { region: 'eu-1' });
    await store.signedUrl('k', { ttlMs: 1_000 });
    // A store that is not AWS has no other region to look up.
    const other = await storeOn(() => expect.unreachable());
    await other.signedUrl('k', { ttlMs: 1_000 });
  });

  it('of AWS without a region looks it up first, and uses the endpoint of that region', () => {
    const region = bucketRegion({ ...config, region: '', endpoint: 's3.amazonaws.com' });
    expect(region.isUnknown).toBe(true);
    expect(region.current()).toMatchObject({ region: 'us-east-1', place: { endpoint: 's3.amazonaws.com' } });
    expect(region.learn('cn-north-1', 'us-east-1')).toBe(true);
    region.confirm();
    expect(region.isUnknown).toBe(false);
    expect(region.current()).toMatchObject({
      region: 'cn-north-1',
      place: { endpoint: 's3.cn-north-1.amazonaws.com.cn' },
    });
    // Another call, still signed for the first region, gets the same answer and only has to retry.
    expect(region.learn('us-east-1', 'us-east-1')).toBe(true);
    expect(region.learn('not a region', 'cn-north-1')).toBe(false);
  });

  it.each([
    ['s3-eu-south-1.amazonaws.com', 'eu-south-1', 's3.eu-south-1.amazonaws.com'],
    ['s3-cn-north-1.amazonaws.com', 'cn-north-1', 's3.cn-north-1.amazonaws.com.cn'],
    ['s3-fips.us-east-1.amazonaws.com', 'us-east-1', 's3-fips.us-east-1.amazonaws.com'],
    ['s3-eu-1.example.com', 'eu-1', 's3-eu-1.example.com'],
  ])('maps the endpoint %s with region %s to %s', (endpoint, region, asked) => {
    expect(bucketRegion({ ...config, region, endpoint }).current().place.endpoint).toBe(asked);
  });

  it('ends with the reason of an abort', async () => {
    const store = await storeOn(answer(200));
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(store.signedUrl('k', { ttlMs: 1, signal })).rejects.toThrow('enough');
  });
});
