import { type FolderEntry, folderEntries, type ObjectId, readObject } from '@lateen/kopia-format';
import type { ServerSession } from '../client/server-session.ts';

/** Names to look for in a folder: a file, or a folder with more of them. */
type Wanted = Map<string, { path: string | undefined; below: Wanted }>;

function wantedOf(paths: Iterable<string>): Wanted {
  const top: Wanted = new Map();
  for (const path of paths) {
    let level = top;
    const names = path.split('/');
    names.forEach((name, at) => {
      const one = level.get(name) ?? { path: undefined, below: new Map() };
      if (at === names.length - 1) one.path = path;
      level.set(name, one);
      level = one.below;
    });
  }
  return top;
}

/**
 * The files of a snapshot at these paths, as far as it has them. Reads only the folders on the way, one content of them at a time.
 * @throws AppError CONTENT_MISSING, SNAPSHOT_CORRUPT; REPOSITORY_SESSION_LOST
 */
export async function findFiles(
  session: ServerSession,
  root: ObjectId,
  paths: Iterable<string>,
  signal: AbortSignal,
): Promise<Map<string, FolderEntry>> {
  const found = new Map<string, FolderEntry>();
  const read = (id: string, stop: AbortSignal): Promise<Uint8Array> => session.getContent(id, { signal: stop });
  const search = async (folder: ObjectId, wanted: Wanted): Promise<void> => {
    for await (const group of folderEntries(readObject(folder, read, signal)))
      for (const entry of group) {
        const one = wanted.get(entry.name);
        if (one?.path !== undefined && entry.type === 'file') found.set(one.path, entry);
        const isFolder = entry.type === 'folder' && entry.objectId !== undefined;
        if (isFolder && one !== undefined && one.below.size > 0) await search(entry.objectId as ObjectId, one.below);
      }
  };
  await search(root, wantedOf(paths));
  return found;
}
