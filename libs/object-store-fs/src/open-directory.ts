import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { errnoOf, RootNotFound } from './fs-error.ts';

/** Directories and files are made for this user alone, as kopia makes them (data-movement.md section 9). */
export const directoryMode = 0o700;

const asDirectory = constants.O_RDONLY | constants.O_DIRECTORY;

/** The path of an entry of an open directory. It goes through the handle: no part above it can be replaced by a link. */
export const entryOf = (directory: FileHandle, name: string): string => `/proc/self/fd/${directory.fd}/${name}`;

/**
 * Opens a directory below the root, going down from handle to handle without following links. The caller closes it.
 * @param make creates what is missing
 * @returns undefined when it is not there, or a file is in its place, and nothing is to be made
 * @throws BUCKET_NOT_FOUND, and ELOOP as it comes
 */
export async function openDirectory(
  fspath: string,
  directories: readonly string[],
  make: boolean,
): Promise<FileHandle | undefined> {
  let current = await openRoot(fspath);
  try {
    for (const name of directories) {
      const next = await openEntry(current, name, make);
      if (next === undefined) {
        await current.close();
        return undefined;
      }
      await current.close();
      current = next;
    }
    return current;
  } catch (error) {
    await current.close();
    throw error;
  }
}

async function openRoot(fspath: string): Promise<FileHandle> {
  try {
    return await open(fspath, asDirectory);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error))) throw new RootNotFound(fspath, { cause: error });
    throw error;
  }
}

async function openEntry(parent: FileHandle, name: string, make: boolean): Promise<FileHandle | undefined> {
  const path = entryOf(parent, name);
  if (make) {
    try {
      await mkdir(path, directoryMode);
      // The entry itself has to survive a power cut, not only what is in it.
      await parent.sync();
    } catch (error) {
      if (errnoOf(error) !== 'EEXIST') throw error;
    }
  }
  try {
    return await open(path, asDirectory | constants.O_NOFOLLOW);
  } catch (error) {
    const errno = errnoOf(error);
    if (!make && (errno === 'ENOENT' || errno === 'ENOTDIR')) return undefined;
    throw error;
  }
}
