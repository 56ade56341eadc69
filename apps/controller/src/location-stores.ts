import type { Clock } from '@lateen/kernel';
import { podS3Store } from '@lateen/object-store-s3';
import { environmentStores, type OpenStore } from '@lateen/storage-location';

/** A store for each provider, as the engines reach it. */
export const locationStores = (clock: Clock, environment: Readonly<Record<string, string | undefined>>): OpenStore =>
  environmentStores(
    {
      s3: { podS3Store },
      azure: () => import('@lateen/object-store-azure'),
      gcp: () => import('@lateen/object-store-gcs'),
      fs: () => import('@lateen/object-store-fs'),
    },
    { clock, environment },
  );
