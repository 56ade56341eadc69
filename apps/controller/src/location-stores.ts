import type { Clock } from '@lateen/kernel';
import { environmentProxies } from '@lateen/object-store';
import { podKeys, s3Store } from '@lateen/object-store-s3';
import { type OpenStore, openStoreBy } from '@lateen/storage-location';

/**
 * A store for each provider, by the proxies of the environment, as the engines go. What only some installations use is
 * loaded when such a location is first used.
 */
export function locationStores(clock: Clock, environment: Readonly<Record<string, string | undefined>>): OpenStore {
  const proxyFor = environmentProxies(environment);
  return openStoreBy({
    s3: ({ credentials, ...location }) => {
      const identity = { environment, clock, location, proxyFor };
      const keys = 'identity' in credentials ? podKeys(credentials, identity) : credentials;
      return s3Store({ ...location, credentials: keys }, {}, { clock, proxyFor });
    },
    azure: async (location) => (await import('@lateen/object-store-azure')).azureStore(location, { clock, proxyFor }),
    gcp: async (location) => (await import('@lateen/object-store-gcs')).gcsStore(location, { clock, proxyFor }),
    fs: async ({ path }) => (await import('@lateen/object-store-fs')).fsStore({ fspath: path }),
  });
}
