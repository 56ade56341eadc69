import type { Clock } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import { podS3Store } from '@lateen/object-store-s3';
import { environmentStores, type OpenStore, type PluginLocation } from '@lateen/storage-location';

/** A store for each provider, as the engines reach it; of one that only a plugin knows, that plugin's. */
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
