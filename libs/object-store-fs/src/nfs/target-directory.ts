import type { Random } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import { fsStore } from '../fs-store.ts';
import type { NfsMounts } from './nfs-mounts.ts';
import type { NfsPlace } from './nfs-options.ts';

/** A backup target that is a directory, or is mounted to be one. */
export type DirectoryPlace =
  | { readonly kind: 'directory'; readonly path: string }
  | ({ readonly kind: 'nfs' } & NfsPlace);

type OpenDirectory = (
  place: DirectoryPlace,
  ports: { readonly random: Random },
  o: { readonly signal: AbortSignal },
) => Promise<ObjectStore>;

/**
 * Opens backup targets that are directories. Closing a store releases its mount.
 * @throws AppError `BACKUP_TARGET_UNAVAILABLE`, `BACKUP_TARGET_URL`; the reason of an abort
 */
export const targetDirectories =
  (mounts: NfsMounts): OpenDirectory =>
  (place, ports, o) =>
    openOne(place, { ...ports, mounts }, o);

async function openOne(
  place: DirectoryPlace,
  { mounts, random }: { readonly mounts: NfsMounts; readonly random: Random },
  o: { readonly signal: AbortSignal },
): Promise<ObjectStore> {
  if (place.kind === 'directory') {
    const missing =
      'Mount the directory into the pods of managers and instance managers, or correct the URL of the target.';
    return fsStore({ fspath: `/${place.path}`, missing }, { random });
  }
  const mounted = await mounts.open(place, o);
  const missing = 'Check the export on the server.';
  const store = fsStore({ fspath: mounted.directory, missing, shown: `${place.server}:/${place.path}` }, { random });
  return { ...store, close: async () => await mounted[Symbol.asyncDispose]() };
}
