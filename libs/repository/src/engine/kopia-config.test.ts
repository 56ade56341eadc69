import type { S3Location } from '@lateen/storage-location';
import { describe, expect, it } from 'vitest';
import { cacheLimitMB, kopiaConfigFile, kopiaToken } from './kopia-config.ts';
import { kopiaEnvironment } from './kopia-environment.ts';
import { kopiaStorage } from './kopia-storage.ts';
import { providerVariables } from './provider-variables.ts';

const location: S3Location = {
  provider: 's3',
  name: 'default',
  bucket: 'b',
  prefix: 'p',
  region: 'r',
  endpoint: 'h:9000',
  tls: false,
  verifyTls: false,
  caPem: 'PEM',
  pathStyle: true,
  readOnly: false,
  credentials: { accessKeyId: 'AKIA', secretAccessKey: 'hunter2', sessionToken: 'token3' },
};

describe('the kopia config file', () => {
  it('contains the storage, the identity and the cache limit, and no secret', () => {
    const text = kopiaConfigFile(kopiaStorage(location, 'p/kopia/ns/'), { directory: '/c', limitMB: 5000 }, false);
    expect(JSON.parse(text)).toEqual({
      storage: {
        type: 's3',
        config: {
          bucket: 'b',
          prefix: 'p/kopia/ns/',
          endpoint: 'h:9000',
          region: 'r',
          doNotUseTLS: true,
          doNotVerifyTLS: true,
          rootCA: 'UEVN',
        },
      },
      caching: {
        cacheDirectory: '/c',
        maxCacheSize: 3200 * 1024 * 1024,
        contentCacheSizeLimitBytes: 4000 * 1024 * 1024,
        maxMetadataCacheSize: 800 * 1024 * 1024,
        metadataCacheSizeLimitBytes: 1000 * 1024 * 1024,
        maxListCacheDuration: 30,
      },
      hostname: 'default',
      username: 'default',
      description: 'Lateen',
      enableActions: false,
    });
    expect(text + kopiaToken(kopiaStorage(location, 'p/'))).not.toMatch(/AKIA|hunter2|token3/);
  });

  it('opens read-only locations read-only', () => {
    const text = kopiaConfigFile(kopiaStorage(location, 'p/'), { directory: '/c', limitMB: 1 }, true);
    expect(JSON.parse(text).readonly).toBe(true);
  });

  it.each([
    [{ cacheLimitMB: '200' }, 200],
    [{ cacheLimitMB: '0' }, 5000],
    [{ cacheLimitMB: '-1' }, 5000],
    [{ cacheLimitMB: '1.5' }, 5000],
    [{ cacheLimitMB: 'much' }, 5000],
    [{}, 5000],
    [null, 5000],
    [undefined, 5000],
  ])('repositoryConfig %j gives a cache of %d MB', (config, limit) => expect(cacheLimitMB(config)).toBe(limit));
});

describe('kopiaEnvironment', () => {
  it('contains the secrets, and only those variables of the own environment that kopia needs', () => {
    const own = {
      PATH: '/bin',
      HTTPS_PROXY: '',
      https_proxy: 'http://proxy',
      VELERO_NAMESPACE: 'velero',
      KOPIA_PASSWORD: 'old',
      AWS_PROFILE: 'x',
    };
    const provider = providerVariables(location, {}, own);
    expect(
      kopiaEnvironment({ own, home: '/h', password: 'pw', provider, runtime: { memoryLimitBytes: 1024.7 } }),
    ).toEqual({
      HOME: '/h',
      KOPIA_PASSWORD: 'pw',
      KOPIA_CHECK_FOR_UPDATES: 'false',
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY: 'hunter2',
      AWS_SESSION_TOKEN: 'token3',
      GOMEMLIMIT: '1024B',
      PATH: '/bin',
      HTTPS_PROXY: 'http://proxy',
    });
  });
});
