import type { ObjectStore } from '@lateen/object-store';
import type { ResolvedLocation } from '@lateen/repository';

/** Makes the object store of a location; nothing is contacted. The caller closes it. */
export type OpenStore = (location: ResolvedLocation) => ObjectStore;
