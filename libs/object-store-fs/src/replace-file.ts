import { constants } from 'node:fs';
import { type FileHandle, open, rename, unlink } from 'node:fs/promises';
import type { Random } from '@lateen/kernel';
import { errnoOf } from './fs-error.ts';
import { type KeyPath, temporaryBegin } from './key-path.ts';
import { entryOf, openDirectory } from './open-directory.ts';

const fileMode = 0o600;
const suffixLength = 16;
/** A directory may vanish with its last object between being opened and being used; a race is not lost this often. */
const attemptsMax = 20;

const exclusively = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

interface Temporary {
  directory: FileHandle;
  file: FileHandle;
  path: string;
}

/**
 * Fills a temporary file and renames it over the key, durably. When anything fails, or the signal aborts before the
 * rename, the temporary file is gone and the key as it was.
 */
export async function replaceFile(
  fspath: string,
  to: KeyPath,
  random: Random,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const { directory, file, path } = await openTemporary(fspath, to, random);
  try {
    await fill(file, pieces, signal);
    signal?.throwIfAborted();
    await rename(path, entryOf(directory, to.name));
    await directory.sync();
  } catch (error) {
    await unlink(path).catch((failure: unknown) => {
      // Renamed before it failed, so there is none any more.
      if (errnoOf(failure) !== 'ENOENT') throw new AggregateError([error, failure]);
    });
    throw error;
  } finally {
    await directory.close();
  }
}

async function openTemporary(fspath: string, to: KeyPath, random: Random): Promise<Temporary> {
  for (let attempt = 1; ; attempt++) {
    let directory: FileHandle | undefined;
    try {
      directory = await openDirectory(fspath, to.directories, true);
      // With `make` there is always one.
      if (directory === undefined) throw new TypeError('a directory was made but is not there');
      const path = entryOf(directory, `${temporaryBegin(to.name)}${random.suffix(suffixLength)}`);
      return { directory, path, file: await open(path, exclusively, fileMode) };
    } catch (error) {
      await directory?.close();
      if (errnoOf(error) !== 'ENOENT' || attempt >= attemptsMax) throw error;
    }
  }
}

async function fill(
  file: FileHandle,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    for await (const piece of pieces) {
      signal?.throwIfAborted();
      await writeAll(file, piece);
    }
    signal?.throwIfAborted();
    await file.sync();
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, piece: Uint8Array): Promise<void> {
  for (let at = 0; at < piece.length; ) {
    const { bytesWritten } = await file.write(piece, at, piece.length - at, null);
    at += bytesWritten;
  }
}
