import type { ObjectStore } from '@lateen/object-store';
import { FakeClock } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { environmentStores, type StoreOptions } from './environment-stores.ts';
import type { ResolvedLocation, S3Location } from './resolved-location.ts';

const common = { name: 'default', bucket: 'b', prefix: '', readOnly: false };
const s3: S3Location = {
  ...common,
  provider: 's3',
  region: '',
  endpoint: 's3.test',
  tls: true,
  verifyTls: true,
  pathStyle: true,
  credentials: { accessKeyId: 'a', secretAccessKey: 's' },
};
const azure: ResolvedLocation = {
  ...common,
  provider: 'azure',
  storageAccount: 'a',
  storageDomain: 'd',
  tls: true,
  credentials: { kind: 'accountKey', accountKey: 'k' },
};
const gcp: ResolvedLocation = { ...common, provider: 'gcp', credentials: { kind: 'ambient' } };
const fs: ResolvedLocation = { ...common, provider: 'fs', path: '/data' };

describe('environmentStores', () => {
  const clock = new FakeClock();
  const environment = { HTTPS_PROXY: 'http://proxy.test:3128/', AWS_ROLE_ARN: 'arn:role' };

  /** The arguments that the factory of each provider received. */
  function modules() {
    const asked: Record<string, unknown>[] = [];
    const proxyOf = ({ proxyFor }: StoreOptions) => proxyFor('https://store.test');
    const make = (name: string, place: unknown, options?: StoreOptions) => {
      asked.push({ name, place, ...options, proxyFor: options && proxyOf(options) });
      return { exists: async () => true, close: async () => {} } as Partial<ObjectStore> as ObjectStore;
    };
    const loaded: string[] = [];
    return {
      asked,
      loaded,
      s3: { podS3Store: (place: unknown, options: StoreOptions) => make('s3', place, options) },
      azure: async () => {
        loaded.push('azure');
        return { azureStore: (place: unknown, options: StoreOptions) => make('azure', place, options) };
      },
      gcp: async () => ({ gcsStore: (place: unknown, options: StoreOptions) => make('gcp', place, options) }),
      fs: async () => ({ fsStore: (place: { fspath: string }) => make('fs', place) }),
    };
  }

  it.each([s3, azure, gcp])(
    'creates the store of $provider with the proxies of the environment and the limits',
    async (location) => {
      const made = modules();
      const store = environmentStores(made, { clock, environment, limits: { connectionsMax: 7 } })(location);
      await store.exists('k');
      expect(made.asked).toEqual([
        {
          name: location.provider,
          place: location,
          clock,
          limits: { connectionsMax: 7 },
          proxyFor: environment.HTTPS_PROXY,
          ...(location.provider === 's3' ? { environment } : {}),
        },
      ]);
    },
  );

  it('opens a directory by its path', async () => {
    const made = modules();
    await environmentStores(made, { clock, environment })(fs).exists('k');
    expect(made.asked).toMatchObject([{ name: 'fs', place: { fspath: '/data' } }]);
  });

  it('loads a module on the first call of its store', async () => {
    const made = modules();
    const store = environmentStores(made, { clock, environment })(azure);
    expect(made.loaded).toEqual([]);
    await store.exists('k');
    expect(made.loaded).toEqual(['azure']);
  });

  it('rejects a provider without a module', () => {
    const { azure: _, ...others } = modules();
    const open = environmentStores(others, { clock, environment });
    expect(() => open(azure)).toThrow(expect.objectContaining({ code: 'LOCATION_UNSUPPORTED' }));
  });
});
