import type { Clock } from '@lateen/kernel';
import { type OpenStore, openStoreBy } from '@lateen/locations';
import { s3Store } from '@lateen/object-store-s3';
import { podKeys } from './pod-keys.ts';

/** A store for each provider. What only some installations use is loaded when such a location is first used. */
export function locationStores(clock: Clock, environment: Readonly<Record<string, string | undefined>>): OpenStore {
  return openStoreBy({
    s3: ({ credentials, ...location }) =>
      s3Store({
        ...location,
        credentials: 'identity' in credentials ? podKeys(credentials, { environment, clock, location }) : credentials,
      }),
    azure: async (location) => (await import('@lateen/object-store-azure')).azureStore(location, { clock }),
    gcp: async (location) => (await import('@lateen/object-store-gcs')).gcsStore(location, { clock }),
    fs: async ({ path }) => (await import('@lateen/object-store-fs')).fsStore({ fspath: path }),
  });
}
