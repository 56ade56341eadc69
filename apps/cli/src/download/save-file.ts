import { open, rename, rm, stat } from 'node:fs/promises';
import { AppError, quoted } from '@lateen/errors';
import type { Random } from '@lateen/kernel';

export interface SaveOptions {
  /** Replaces an existing file. */
  force: boolean;
  random: Random;
  /** Bytes so far. */
  onProgress?: ((bytesDone: number) => void) | undefined;
}

/** @throws AppError FILE_EXISTS unless `force` is set | FILE_IS_DIRECTORY */
export async function checkSavePath(path: string, { force }: Pick<SaveOptions, 'force'>): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw notWritten(path, error);
  });
  if (found?.isDirectory() === true)
    throw new AppError('FILE_IS_DIRECTORY', `${quoted(path)} is a directory`, {
      nextStep: 'Name a file in it with --output.',
    });
  if (found !== undefined && !force)
    throw new AppError('FILE_EXISTS', `file ${quoted(path)} exists`, { nextStep: 'Give --force to replace it.' });
}

/**
 * Writes a file that only its owner may read, as a backup may hold Secrets. The file gets its name when it is complete and on
 * disk; before that, and after a failure, the path has no file or still has the previous one.
 * @throws AppError FILE_EXISTS, FILE_IS_DIRECTORY, FILE_NOT_WRITTEN | what `pieces` throws
 */
export async function saveFile(path: string, pieces: AsyncIterable<Uint8Array>, options: SaveOptions): Promise<void> {
  const partial = `${path}.${options.random.suffix(6)}.part`;
  const file = await open(partial, 'wx', 0o600).catch((cause: unknown) => {
    throw notWritten(path, cause);
  });
  try {
    try {
      let bytesDone = 0;
      for await (const piece of pieces) {
        await writing(path, file.writeFile(piece));
        bytesDone += piece.length;
        options.onProgress?.(bytesDone);
      }
      await writing(path, file.sync());
    } finally {
      await file.close();
    }
    await checkSavePath(path, options);
    await writing(path, rename(partial, path));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

async function writing(path: string, done: Promise<void>): Promise<void> {
  try {
    await done;
  } catch (cause) {
    throw notWritten(path, cause);
  }
}

const notWritten = (path: string, cause: unknown): AppError =>
  new AppError('FILE_NOT_WRITTEN', `file ${quoted(path)} cannot be written`, { cause });

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
