import { AppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import { lazyStore } from './lazy-store.ts';
import { providerUnsupported } from './provider-of.ts';
import type {
  AzureLocation,
  FsLocation,
  GcpLocation,
  PluginLocation,
  S3Location,
  StoreLocation,
} from './resolved-location.ts';

/** Makes the object store of a location; nothing is contacted. The caller closes it. */
export type OpenStore = (location: StoreLocation) => ObjectStore;

/**
 * One maker per provider. Those that answer with a promise load their SDK on the way (`await import(…)`), which then
 * happens at the first call on the store.
 */
export interface StoreMakers {
  s3(location: S3Location): ObjectStore;
  azure?(location: AzureLocation): Promise<ObjectStore>;
  gcp?(location: GcpLocation): Promise<ObjectStore>;
  fs?(location: FsLocation): Promise<ObjectStore>;
  /** Of providers that only plugins know. */
  plugin?(location: PluginLocation): Promise<ObjectStore>;
}

/** Chooses the maker by the location's provider. @throws LOCATION_UNSUPPORTED when there is none */
export function openStoreBy(makers: StoreMakers): OpenStore {
  return (location) => {
    switch (location.provider) {
      case 's3':
        return makers.s3(location);
      case 'azure':
        return lazily(makers.azure, location);
      case 'gcp':
        return lazily(makers.gcp, location);
      case 'fs':
        return lazily(makers.fs, location);
      case 'plugin':
        if (makers.plugin === undefined) throw providerUnsupported(location.plugin);
        return lazily(makers.plugin, location);
    }
  };
}

function lazily<L extends StoreLocation>(
  make: ((location: L) => Promise<ObjectStore>) | undefined,
  location: L,
): ObjectStore {
  if (make !== undefined) return lazyStore(() => make(location));
  throw new AppError('LOCATION_UNSUPPORTED', `there is no object store for provider "${location.provider}" here`, {
    nextStep: 'Use a location on an object store that speaks S3.',
  });
}
