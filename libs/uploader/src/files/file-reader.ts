import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';

/** Reads bytes of files below a root; one file is open at a time. */
export class FileReader {
  readonly #root: string;
  #open: { path: string; handle: Promise<FileHandle> } | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  /** Fills `into` with the bytes of the file from `offset`. @throws UPLOADER_SOURCE_UNREADABLE */
  async read(path: string, into: Uint8Array, offset: number): Promise<void> {
    const handle = await this.#handle(path).catch((cause: unknown) => {
      throw unreadable(path, 'cannot be opened', cause);
    });
    for (let done = 0; done < into.length; ) {
      const { bytesRead } = await handle.read(into, done, into.length - done, offset + done).catch((cause: unknown) => {
        throw unreadable(path, `cannot be read at ${offset + done}`, cause);
      });
      if (bytesRead === 0) throw unreadable(path, `ends at ${offset + done}, before its size`);
      done += bytesRead;
    }
  }

  async close(): Promise<void> {
    const left = this.#open;
    this.#open = undefined;
    const handle = await left?.handle.catch(() => undefined);
    await handle?.close();
  }

  async #handle(path: string): Promise<FileHandle> {
    if (this.#open?.path === path) return this.#open.handle;
    const before = this.#open;
    const handle = open(join(this.#root, path), constants.O_RDONLY | constants.O_NOFOLLOW);
    this.#open = { path, handle };
    await (await before?.handle.catch(() => undefined))?.close();
    return handle;
  }
}

const unreadable = (path: string, how: string, cause?: unknown): AppError =>
  new AppError('UPLOADER_SOURCE_UNREADABLE', `the file ${path} ${how}`, { cause, retry: 'later' });
