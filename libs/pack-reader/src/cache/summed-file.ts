import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';

/** Small, so that a folder's few bytes do not take much more to check than to read. */
const blockBytes = 64 * 1024;
/** Held for one reader while it checks. */
const bufferBytes = 16 * blockBytes;

/** What was written to a file, so that what is read of it can be held to that: a disk may return other bytes. */
export interface FileSums {
  bytes: number;
  /** CRC-32 of each block. */
  blocks: readonly number[];
}

/** Writes pieces to the end of a file and sums them up. */
export class SummedWriter {
  readonly #file: FileHandle;
  readonly #blocks: number[] = [];
  #bytes = 0;
  #current = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  get sums(): FileSums {
    const isBetween = this.#bytes % blockBytes !== 0;
    return { bytes: this.#bytes, blocks: isBetween ? [...this.#blocks, this.#current] : this.#blocks };
  }

  async write(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; ) at += (await this.#file.write(piece, at, piece.length - at)).bytesWritten;
    for (let at = 0; at < piece.length; ) {
      const part = piece.subarray(at, at + blockBytes - (this.#bytes % blockBytes));
      this.#current = crc32(part, this.#current);
      this.#bytes += part.length;
      at += part.length;
      if (this.#bytes % blockBytes !== 0) continue;
      this.#blocks.push(this.#current);
      this.#current = 0;
    }
  }
}

/**
 * Fills `into` with what was written from `offset` on.
 * @returns false when the file has other bytes now, or fewer
 */
export async function readSummed(
  file: FileHandle,
  { bytes, blocks }: FileSums,
  offset: number,
  into: Uint8Array,
): Promise<boolean> {
  const end = offset + into.length;
  if (end > bytes) return false;
  const first = offset - (offset % blockBytes);
  const buffer = Buffer.allocUnsafe(Math.min(bufferBytes, Math.ceil((end - first) / blockBytes) * blockBytes));
  for (let at = first; at < end; at += buffer.length) {
    const wanted = Math.min(buffer.length, bytes - at);
    if ((await readFully(file, buffer.subarray(0, wanted), at)) < wanted) return false;
    for (let block = 0; block < wanted && at + block < end; block += blockBytes) {
      const sum = crc32(buffer.subarray(block, Math.min(block + blockBytes, wanted)));
      if (sum !== blocks[(at + block) / blockBytes]) return false;
    }
    const from = Math.max(offset, at);
    const to = Math.min(end, at + wanted);
    into.set(buffer.subarray(from - at, to - at), from - offset);
  }
  return true;
}

async function readFully(file: FileHandle, into: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < into.length) {
    const { bytesRead } = await file.read(into, filled, into.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
