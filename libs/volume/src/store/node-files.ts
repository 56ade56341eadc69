import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, readFile, rename, rm, rmdir, stat, statfs, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { volumeError } from '../volume-error.ts';
import type { Files, OpenFile } from './files.ts';

/** Unfinished files; swept at start. */
export const temporarySuffix = '.tmp';

/** st_blocks counts these, whatever the block size. */
const statBlockBytes = 512;

const missing = ['ENOENT', 'ENOTDIR'];
const ignore =
  (...codes: string[]) =>
  (error: NodeJS.ErrnoException): undefined => {
    if (error.code === undefined || !codes.includes(error.code)) throw error;
  };

/** {@link Files} on the real file system. */
export const nodeFiles: Files = {
  readText: (path) => readFile(path, 'utf8').catch(ignore(...missing)),
  writeDurably: async (path, text) => {
    const temporary = `${path}${temporarySuffix}`;
    try {
      await writeSynced(temporary, text);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await syncDirectory(dirname(path));
  },
  replaceDurably: async (from, to) => {
    await rename(from, to);
    await syncDirectory(dirname(to));
  },
  removeDurably: async (path) => {
    await rm(path, { force: true });
    await syncDirectory(dirname(path));
  },
  list: (directory) => readdir(directory),
  createSparse: async (path, bytes) => {
    const handle = await open(path, 'wx', 0o600);
    try {
      await handle.truncate(bytes);
      await handle.sync();
    } catch (error) {
      throw tooLarge(error, bytes);
    } finally {
      await handle.close();
    }
    await syncDirectory(dirname(path));
  },
  growSparse: async (path, bytes) => {
    const handle = await open(path, constants.O_RDWR);
    try {
      if ((await handle.stat()).size < bytes) await handle.truncate(bytes);
      await handle.sync();
    } catch (error) {
      throw tooLarge(error, bytes);
    } finally {
      await handle.close();
    }
  },
  sync: async (path) => {
    const handle = await open(path, constants.O_RDWR);
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncDirectory(dirname(path));
  },
  facts: async (path) => {
    const found = await stat(path).catch(ignore(...missing));
    if (found === undefined || !found.isFile()) return undefined;
    const { size, blocks, ino, mtimeMs } = found;
    return {
      sizeBytes: size,
      allocatedBytes: blocks * statBlockBytes,
      inode: ino,
      modifiedMs: Math.max(0, Math.floor(mtimeMs)),
    };
  },
  openForReading,
  space: async (directory) => {
    const found = await statfs(directory);
    return {
      totalBytes: found.blocks * found.bsize,
      usedBytes: (found.blocks - found.bfree) * found.bsize,
      availableBytes: found.bavail * found.bsize,
      totalInodes: found.files,
      freeInodes: found.ffree,
    };
  },
  makeDirectory: async (path) => {
    await mkdir(path, { recursive: true, mode: 0o750 });
  },
  makeMountFile: async (path) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    await (await open(path, constants.O_CREAT | constants.O_RDONLY | constants.O_NOFOLLOW, 0o600)).close();
  },
  removeMountPoint,
};

async function openForReading(path: string): Promise<OpenFile> {
  const handle = await open(path, constants.O_RDONLY);
  return {
    read: async (at, into) => {
      for (let done = 0; done < into.length; ) {
        const { bytesRead } = await handle.read(into, done, into.length - done, at + done);
        if (bytesRead === 0) throw volumeError('OUT_OF_RANGE', `${path} ends before ${at + into.length} bytes`);
        done += bytesRead;
      }
    },
    [Symbol.asyncDispose]: () => handle.close(),
  };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function removeMountPoint(path: string): Promise<void> {
  const found = await lstat(path).catch(ignore(...missing));
  if (found === undefined) return;
  if (found.isDirectory()) return void (await rmdir(path));
  if (found.isFile() && found.size === 0) return unlink(path);
  throw volumeError('FAILED_PRECONDITION', `${path} is not an empty directory or file, so it is left alone`, {
    nextStep: 'Look what wrote there while nothing was mounted, and remove it.',
  });
}

async function syncDirectory(path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function tooLarge(error: unknown, bytes: number): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EFBIG' || code === 'EINVAL') {
    return volumeError('OUT_OF_RANGE', `the state directory's file system cannot hold a file of ${bytes} bytes`, {
      cause: error,
    });
  }
  return error;
}
