import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';

/** A file without a name: it is gone when it is closed, and when the process ends in whatever way. */
export interface ScratchFile {
  append(bytes: Uint8Array): Promise<void>;
  /** @throws ARCHIVE_SCRATCH_FAILED, also when the file has fewer bytes */
  read(from: number, count: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

const ownerOnly = 0o600;

/** @throws ARCHIVE_SCRATCH_FAILED */
export async function openScratchFile(directory: string): Promise<ScratchFile> {
  const handle = await doing(directory, () => openUnnamed(directory));
  return {
    // A handle's appendFile continues at the end of the last call, until all bytes are written.
    append: (bytes) => doing(directory, () => handle.appendFile(bytes)),
    read: (from, count) => doing(directory, () => readAll(handle, from, count)),
    close: () => handle.close(),
  };
}

async function openUnnamed(directory: string): Promise<FileHandle> {
  const own = await mkdtemp(join(directory, 'lateen-archive-'));
  try {
    return await open(join(own, 'members'), 'wx+', ownerOnly);
  } finally {
    await rm(own, { recursive: true });
  }
}

async function readAll(handle: FileHandle, from: number, count: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafe(count);
  for (let at = 0; at < count; ) {
    const { bytesRead } = await handle.read({ buffer, offset: at, length: count - at, position: from + at });
    if (bytesRead === 0) throw new Error(`it ends ${count - at} bytes early`);
    at += bytesRead;
  }
  return buffer;
}

async function doing<T>(directory: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new AppError('ARCHIVE_SCRATCH_FAILED', `the archive cannot be kept in the scratch directory ${directory}`, {
      retry: 'later',
      cause,
      nextStep: 'Give that directory more room, and mount it writable for the user of the process.',
    });
  }
}
