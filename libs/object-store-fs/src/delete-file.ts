import { readdir, rm, rmdir, unlink } from 'node:fs/promises';
import { errnoOf } from './fs-error.ts';
import { keyPathOf, temporaryBegin } from './key-path.ts';
import { entryOf, openDirectory } from './open-directory.ts';

/** Removes the file of a key and the directories that are empty without it. Resolves also when there was none. */
export async function deleteFile(fspath: string, key: string, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const { directories, name } = keyPathOf(key);
  const directory = await openDirectory(fspath, directories, false);
  if (directory === undefined) return;
  try {
    await unlink(entryOf(directory, name));
    await directory.sync();
  } catch (error) {
    // EISDIR: there are only keys below it, which are others.
    if (!['ENOENT', 'EISDIR'].includes(errnoOf(error))) throw error;
    return;
  } finally {
    await directory.close();
  }
  await removeEmpty(fspath, directories);
}

/** Removes the temporary files of abandoned writes of a key. @returns how many */
export async function deleteTemporaries(fspath: string, key: string, signal: AbortSignal | undefined): Promise<number> {
  signal?.throwIfAborted();
  const { directories, name } = keyPathOf(key);
  const directory = await openDirectory(fspath, directories, false);
  if (directory === undefined) return 0;
  let count = 0;
  try {
    const begin = temporaryBegin(name);
    for (const entry of await readdir(entryOf(directory, '.'), { withFileTypes: true })) {
      if (!entry.isFile() || !entry.name.startsWith(begin)) continue;
      signal?.throwIfAborted();
      await rm(entryOf(directory, entry.name), { force: true });
      count++;
    }
    if (count > 0) await directory.sync();
  } finally {
    await directory.close();
  }
  if (count > 0) await removeEmpty(fspath, directories);
  return count;
}

async function removeEmpty(fspath: string, directories: readonly string[]): Promise<void> {
  for (let depth = directories.length; depth > 0; depth--) {
    const parent = await openDirectory(fspath, directories.slice(0, depth - 1), false);
    if (parent === undefined) return;
    try {
      await rmdir(entryOf(parent, directories[depth - 1] ?? ''));
    } catch (error) {
      // Others are in it or have been faster; an empty directory that stays is no object either.
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EBUSY'].includes(errnoOf(error))) return;
      throw error;
    } finally {
      await parent.close();
    }
  }
}
