import { closeSync, constants, fstatSync, lstatSync, openSync, type Stats, unlinkSync } from 'node:fs';

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_TRUNC } = constants;

/** As kopia makes files, until they are whole. */
const fileModeAtFirst = 0o600;

export interface NewFile {
  file: number;
  /** It was not there before. */
  isMade: boolean;
}

/**
 * An empty file for writing. A regular file that is there is emptied and keeps its inode, unless another name leads to it as
 * well; anything else but a folder (a link, a FIFO, a device) is removed first: nothing is ever written through it.
 */
export function openNewFile(path: string): NewFile {
  for (let attempt = 1; ; attempt++) {
    try {
      return { file: openSync(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, fileModeAtFirst), isMade: true };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt >= attemptsMax) throw error;
    }
    const emptied = openEmptied(path);
    if (emptied !== undefined) return { file: emptied, isMade: false };
  }
}

/** Somebody else may write the same volume; not forever. */
const attemptsMax = 3;

function openEmptied(path: string): number | undefined {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined) return undefined;
  if (!isOurs(there)) {
    // Fails for a folder.
    unlinkSync(path);
    return undefined;
  }
  return openPresentFile(path, O_TRUNC);
}

/** A file that was made before, for writing in any place. */
export function openPresentFile(path: string, flags = 0): number {
  const file = openSync(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | flags);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw Object.assign(new Error('it is not a regular file any more'), { code: 'ESTALE' });
}

const isOurs = (there: Stats): boolean => there.isFile() && there.nlink === 1;
