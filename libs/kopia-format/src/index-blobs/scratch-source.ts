import { type FileHandle, open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { IndexSource } from './index-source.ts';

/** What scratch could not take or give: no reason to fail, there is another way. */
export class ScratchError extends Error {
  constructor(cause: unknown) {
    super('scratch cannot hold an index file', { cause });
    this.name = 'ScratchError';
  }
}

/**
 * Writes the pieces to a file on scratch and reads from there. The file has no name by then: when the process ends, however it
 * does, nothing is left.
 * @param id of the file, which no other has
 * @throws ScratchError for what has to do with the disk; what `pieces` throw
 */
export async function scratchSource(
  directory: string,
  id: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<IndexSource> {
  const file = await onDisk(nameless(directory, id));
  try {
    let size = 0;
    for await (const piece of pieces) {
      await onDisk(writeWhole(file, piece, size));
      size += piece.length;
    }
    return { size, read: (offset, length) => readWhole(file, offset, length), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function nameless(directory: string, id: string): Promise<FileHandle> {
  const path = join(directory, `lateen-index-${id}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  return file;
}

async function writeWhole(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, at, bytes.length - at, position + at);
    at += bytesWritten;
  }
}

async function readWhole(file: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await onDisk(file.read(bytes, at, length - at, offset + at));
    if (bytesRead === 0) throw new ScratchError(new Error('the file ends early'));
    at += bytesRead;
  }
  return bytes;
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new ScratchError(error);
  }
}
