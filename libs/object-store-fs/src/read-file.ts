import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type ReadOptions, tooShort } from '@lateen/object-store';
import { errnoOf, objectNotFound } from './fs-error.ts';
import { keyPathOf } from './key-path.ts';
import { entryOf, openDirectory } from './open-directory.ts';

/** Large enough that a read of a network share is not all latency. */
const pieceBytes = 256 * 1024;
/** A FIFO below the root must not block the read. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens the file of a key; the caller closes it. @returns undefined when there is no such object */
export async function openFile(fspath: string, key: string): Promise<FileHandle | undefined> {
  const { directories, name } = keyPathOf(key);
  const directory = await openDirectory(fspath, directories, false);
  if (directory === undefined) return undefined;
  try {
    const file = await open(entryOf(directory, name), flags);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    return undefined;
  } catch (error) {
    if (['ENOENT', 'ENXIO'].includes(errnoOf(error))) return undefined;
    throw error;
  } finally {
    await directory.close();
  }
}

/** The file of a key, or a part of it, in pieces. What was opened is read to its end, also when it is replaced meanwhile. */
export async function* readFile(
  fspath: string,
  key: string,
  { signal, range }: ReadOptions,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const file = await openFile(fspath, key);
  if (file === undefined) throw objectNotFound(fspath, key);
  try {
    let at = range?.offset ?? 0;
    const end = range === undefined ? Number.POSITIVE_INFINITY : range.offset + range.length;
    while (at < end) {
      const length = Math.min(pieceBytes, end - at);
      // A new buffer each time: the last one belongs to the caller now.
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
      signal?.throwIfAborted();
      if (bytesRead === 0) break;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
    if (range !== undefined && at < end) throw tooShort(`object "${key}"`, `directory ${fspath}`);
  } finally {
    await file.close();
  }
}
