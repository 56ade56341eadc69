import type { Volume } from '@lateen/storage-types';
import { isCloning, parseDataSource } from '@lateen/volume-decisions';
import type { StorageCaches } from './storage-caches.ts';

/** The volume that this one is, or was, cloned from; "" if it is not a clone. */
export const sourceOf = ({ spec }: Volume): string => parseDataSource(spec.dataSource ?? '')?.volume ?? '';

/** Volumes that are being cloned from this one, by name. */
export const clonesOf = ({ volumes }: Pick<StorageCaches, 'volumes'>, volume: string): readonly Volume[] =>
  volumes
    .byIndex('clonedFrom', volume)
    .filter(isCloning)
    .sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
