import type { BackupStorageLocation } from '@lateen/api-types';
import type { ObjectStore } from '@lateen/object-store';
import type { ReachPorts } from './reach-ports.ts';
import { type ReadLocationOptions, readStoreLocation } from './read-location.ts';
import type { StoreLocation } from './resolved-location.ts';

/**
 * Reads a location, opens its object store for as long as `use` takes, and closes it, whatever came of it. Nothing is contacted
 * by itself. @throws what `readStoreLocation`, `openStore` and `use` throw
 */
export async function withStore<Result>(
  { kube, listAccountKey, openStore }: ReachPorts,
  location: BackupStorageLocation,
  options: Omit<ReadLocationOptions, 'listAccountKey'>,
  use: (store: ObjectStore, resolved: StoreLocation) => Promise<Result>,
): Promise<Result> {
  const resolved = await readStoreLocation(kube, location, { ...options, listAccountKey });
  const store = openStore(resolved);
  try {
    return await use(store, resolved);
  } finally {
    await store.close();
  }
}
