import { rmdir, unlink } from 'node:fs/promises';
import { errnoOf } from './fs-error.ts';
import { keyPathOf } from './key-path.ts';
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
