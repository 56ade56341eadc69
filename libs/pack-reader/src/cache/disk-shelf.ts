import { type FileHandle, mkdir, open, rm, statfs, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@lateen/kernel';
import { LeastRecent } from './least-recent.ts';
import type { Shelf } from './shelf.ts';
import { type FileSums, readSummed, SummedWriter } from './summed-file.ts';

export interface DiskShelfOptions {
  /** Created at first use, emptied before, and deleted by `close` in any case; no other process may use it. */
  directory: string;
  bytesMax: number;
  log: Logger;
}

const MiB = 1024 * 1024;

/** Others need room on the same disk: the engine, our own index, the node. */
const leftFree = { share: 0.1, bytesMax: 256 * MiB };
/** Not worth its files any more. */
const worthBytes = 1 * MiB;

/**
 * Packs as files. Whatever the disk says or returns, the worst is that packs are not kept: one line in the log, and never an error
 * or other bytes.
 */
export class DiskShelf implements Shelf {
  readonly #directory: string;
  readonly #log: Logger;
  readonly #kept = new LeastRecent();
  #bytesMax: number;
  #comingBytes = 0;
  #made = 0;
  readonly #files = new Map<string, { name: string; sums: FileSums }>();
  #ready: Promise<boolean> | undefined;
  #hasTold = false;

  constructor({ directory, bytesMax, log }: DiskShelfOptions) {
    this.#directory = directory;
    this.#bytesMax = bytesMax;
    this.#log = log;
  }

  get isOpen(): boolean {
    return this.#bytesMax >= worthBytes;
  }

  async read(packId: string, offset: number, into: Uint8Array): Promise<boolean> {
    const kept = this.#files.get(packId);
    if (kept === undefined) return false;
    try {
      await using file = await open(join(this.#directory, kept.name));
      if (await readSummed(file, kept.sums, offset, into)) {
        this.#kept.touch(packId);
        return true;
      }
    } catch {
      // Deleted, or on a disk that fails: as when it has other bytes than were written.
    }
    await this.forget(packId);
    return false;
  }

  async keep(packId: string, pieces: AsyncIterable<Uint8Array>): Promise<boolean> {
    if (!this.isOpen || !(await this.#isReady())) return false;
    const name = String(this.#made++);
    let failure: { cause: unknown } | undefined;
    const own = async <T>(work: Promise<T>): Promise<T | undefined> => {
      try {
        return await work;
      } catch (cause) {
        failure ??= { cause };
        return undefined;
      }
    };
    const file = await own(open(join(this.#directory, name), 'wx', 0o600));
    let sums: FileSums | undefined;
    try {
      if (file !== undefined) sums = await this.#fillAndClose(file, pieces, own);
      if (failure !== undefined) sums = undefined;
      if (sums === undefined) return false;
      await this.forget(packId);
      this.#files.set(packId, { name, sums });
      this.#kept.add(packId, sums.bytes);
      return true;
    } finally {
      if (sums === undefined) await this.#delete(name);
      if (failure !== undefined) await this.#shrink(failure.cause);
    }
  }

  async forget(packId: string): Promise<void> {
    this.#kept.remove(packId);
    const kept = this.#files.get(packId);
    this.#files.delete(packId);
    if (kept !== undefined) await this.#delete(kept.name);
  }

  async close(): Promise<void> {
    this.#bytesMax = 0;
    this.#files.clear();
    await this.#ready;
    // Also when nothing was kept: an earlier process that was killed may have left files.
    await rm(this.#directory, { recursive: true, force: true }).catch(this.#tell);
  }

  async #fillAndClose(
    file: FileHandle,
    pieces: AsyncIterable<Uint8Array>,
    own: <T>(work: Promise<T>) => Promise<T | undefined>,
  ): Promise<FileSums | undefined> {
    try {
      return await this.#fill(file, pieces, own);
    } finally {
      await own(file.close());
    }
  }

  /** @returns what was written; undefined when there was no room, or the disk failed */
  async #fill(
    file: FileHandle,
    pieces: AsyncIterable<Uint8Array>,
    own: <T>(work: Promise<T>) => Promise<T | undefined>,
  ): Promise<FileSums | undefined> {
    const writer = new SummedWriter(file);
    let bytes = 0;
    try {
      for await (const piece of pieces) {
        bytes += piece.length;
        this.#comingBytes += piece.length;
        if (!(await this.#makeRoom(this.#bytesMax))) return undefined;
        if ((await own(writer.write(piece).then(() => true))) === undefined) return undefined;
      }
    } finally {
      this.#comingBytes -= bytes;
    }
    return writer.sums;
  }

  /** @returns false when what is on its way does not fit */
  async #makeRoom(bytesMax: number): Promise<boolean> {
    while (this.#kept.bytes + this.#comingBytes > bytesMax) {
      const oldest = this.#kept.removeOldest();
      if (oldest === undefined) return false;
      await this.forget(oldest);
    }
    return true;
  }

  /** The disk is full, or fails: less than what it held is kept from now on, or nothing. */
  async #shrink(cause: unknown): Promise<void> {
    const isFull = isErrno(cause) && ['ENOSPC', 'EDQUOT'].includes(cause.code);
    this.#bytesMax = isFull ? Math.floor((this.#kept.bytes + this.#comingBytes) * 0.75) : 0;
    await this.#makeRoom(this.#bytesMax);
    this.#tell(cause);
  }

  async #isReady(): Promise<boolean> {
    this.#ready ??= this.#prepare().catch(async (cause: unknown) => {
      await this.#shrink(cause);
      return false;
    });
    return (await this.#ready) && (await this.#hasSpace());
  }

  async #prepare(): Promise<boolean> {
    await rm(this.#directory, { recursive: true, force: true });
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    // What is more than the disk has would make packs that come at the same time fail each other.
    const { bavail, bsize } = await statfs(this.#directory);
    this.#bytesMax = Math.min(this.#bytesMax, Math.floor(bavail * bsize * (1 - leftFree.share)));
    return true;
  }

  /** Low space is no failure: it may come back. */
  async #hasSpace(): Promise<boolean> {
    try {
      const { bavail, blocks, bsize } = await statfs(this.#directory);
      if (bavail * bsize >= Math.min(leftFree.bytesMax, blocks * bsize * leftFree.share)) return true;
      await this.#makeRoom(Math.floor(this.#kept.bytes / 2) + this.#comingBytes);
      return false;
    } catch (cause) {
      await this.#shrink(cause);
      return false;
    }
  }

  readonly #tell = (cause: unknown): void => {
    if (this.#hasTold) return;
    this.#hasTold = true;
    this.#log.warn({ err: cause, directory: this.#directory }, 'packs are kept on disk less, or not any more');
  };

  async #delete(name: string): Promise<void> {
    await unlink(join(this.#directory, name)).catch(() => {});
  }
}

const isErrno = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && typeof error.code === 'string';
