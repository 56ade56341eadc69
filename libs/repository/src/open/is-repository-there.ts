import type { ObjectStore } from '@lateen/object-store';
import type { ResolvedLocation } from '@lateen/storage-location';
import { formatBlobName, type RepositoryType, repositoryPrefix } from '../conventions/repository-names.ts';
import { resticPlace } from '../restic/restic-place.ts';

/**
 * Whether a location holds the repository of a namespace, by the one blob without which there is none. A restic repository that the
 * location puts somewhere else is taken to be there: only restic reaches it.
 * @throws REPOSITORY_INVALID, what the store throws
 */
export async function isRepositoryThere(
  store: ObjectStore,
  {
    location,
    engine,
    volumeNamespace,
  }: { location: ResolvedLocation; engine: RepositoryType; volumeNamespace: string },
  signal: AbortSignal,
): Promise<boolean> {
  if (engine === 'kopia')
    return await store.exists(`${repositoryPrefix(location.prefix, volumeNamespace)}${formatBlobName}`, { signal });
  if (location.resticRepoPrefix !== undefined) return true;
  return await store.exists(`${resticPlace(location, volumeNamespace).prefix}config`, { signal });
}
