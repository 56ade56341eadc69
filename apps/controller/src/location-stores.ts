import type { Clock } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import { podS3Store } from '@lateen/object-store-s3';
import { environmentStores, type OpenStore, type PluginLocation } from '@lateen/storage-location';

/** A store for each provider, opened as the engines open it; for a provider that only a plugin supports, the plugin's store. */
export const locationStores = (
  clock: Clock,
  environment: Readonly<Record<string, string | undefined>>,
  plugin: (location: PluginLocation) => Promise<ObjectStore>,
): OpenStore =>
  environmentStores(
    {
      s3: { podS3Store },
      azure: () => import('@lateen/object-store-azure'),
      gcp: () => import('@lateen/object-store-gcs'),
      fs: () => import('@lateen/object-store-fs'),
      plugin,
    },
    { clock, environment },
  );
