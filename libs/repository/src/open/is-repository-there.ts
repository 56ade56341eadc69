import type { ObjectStore } from '@lateen/object-store';
import type { ResolvedLocation } from '@lateen/storage-location';
import { formatBlobName, type RepositoryType, repositoryPrefix } from '../conventions/repository-names.ts';
import { resticPlace } from '../restic/restic-place.ts';

/**
 * Whether a location holds the repository of a namespace, judged by the one blob that every repository has. A restic repository
 * that the location places elsewhere is assumed to exist: only restic can access it.
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
