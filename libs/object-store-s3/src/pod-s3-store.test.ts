import { environmentProxies } from '@lateen/object-store';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { type PodS3StoreConfig, podS3Store } from './pod-s3-store.ts';
import { testKeys } from './test-server/store-on-server.ts';

const bucket = {
  bucket: 'bkt',
  endpoint: 'store.test',
  tls: true,
  verifyTls: true,
  region: 'eu-1',
  pathStyle: true,
};
const environment = { AWS_ACCESS_KEY_ID: 'AKIAPOD', AWS_SECRET_ACCESS_KEY: 'S' };
const clock = new FakeClock('2030-01-01T00:00:00Z');

describe('a store of a pod', () => {
  it.each<[string, string, PodS3StoreConfig['credentials']]>([
    ['the keys of its location', 'AKIATEST', testKeys],
    ['those of the pod when the location has none', 'AKIAPOD', { identity: 'pod', insteadOf: 'Secret a/b key c' }],
  ])('signs with %s', async (_, id, credentials) => {
    const store = podS3Store({ ...bucket, credentials }, { clock, environment });
    const url = new URL(await store.signedUrl('k', { ttlMs: 1_000 }));
    expect(url.searchParams.get('X-Amz-Credential')).toBe(`${id}/20300101/eu-1/s3/aws4_request`);
    await store.close();
  });

  it.each([
    ['PROXY_INVALID', { proxyFor: environmentProxies({ HTTPS_PROXY: 'no address' }) }],
    ['CREDENTIALS_UNAVAILABLE', { environment: { AWS_ROLE_ARN: 'arn:r', AWS_WEB_IDENTITY_TOKEN_FILE: '/no/token' } }],
  ])('reports %s at its first call, not when it is created', async (code, more) => {
    const credentials = { identity: 'pod', insteadOf: 'Secret a/b key c' } as const;
    const store = podS3Store({ ...bucket, credentials }, { clock, environment, ...more });
    await expect(store.get('k')).rejects.toMatchObject({ code });
    await store.close();
  });
});
