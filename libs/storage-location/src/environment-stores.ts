import type { Clock } from '@lateen/kernel';
import { environmentProxies, type ObjectStore, type ProxyFor } from '@lateen/object-store';
import { type OpenStore, openStoreBy } from './open-store.ts';
import type { AzureLocation, GcpLocation, PluginLocation, S3Location } from './resolved-location.ts';

/**
 * What has the stores of each provider: the adapters, which only apps know. A module of what only some installations use is
 * loaded when such a location is first used.
 */
export interface StoreModules {
  s3: { podS3Store(location: S3Location, options: StoreOptions & { environment: Environment }): ObjectStore };
  azure?(): Promise<{ azureStore(location: AzureLocation, options: StoreOptions): ObjectStore }>;
  gcp?(): Promise<{ gcsStore(location: GcpLocation, options: StoreOptions): ObjectStore }>;
  fs?(): Promise<{ fsStore(place: { fspath: string }): ObjectStore }>;
  plugin?(location: PluginLocation): Promise<ObjectStore>;
}

export interface StoreOptions {
  clock: Clock;
  proxyFor: ProxyFor;
  limits: StoreLimits;
}

/** Those that differ by what a process does with its stores; the adapters know the others. */
interface StoreLimits {
  /** Connections kept to one endpoint; as many as the adapter finds good when absent. */
  connectionsMax?: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Makes the store of a location as the engines reach it: by the proxies of the environment, and with the identity of the pod where
 * the location has no keys of its own. See {@link openStoreBy} for providers without a module.
 */
export function environmentStores(
  { s3, azure, gcp, fs, plugin }: StoreModules,
  { environment, clock, limits = {} }: { environment: Environment; clock: Clock; limits?: StoreLimits },
): OpenStore {
  const options = { clock, limits, proxyFor: environmentProxies(environment) };
  return openStoreBy({
    s3: (location) => s3.podS3Store(location, { ...options, environment }),
    ...(azure && { azure: async (location) => (await azure()).azureStore(location, options) }),
    ...(gcp && { gcp: async (location) => (await gcp()).gcsStore(location, options) }),
    ...(fs && { fs: async ({ path }) => (await fs()).fsStore({ fspath: path }) }),
    ...(plugin && { plugin }),
  });
}
