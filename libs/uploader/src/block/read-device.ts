import type { BlockDevice } from './block-device.ts';
import type { ByteRange } from './byte-ranges.ts';

/** One read; a multiple of every page and sector size. */
export const chunkBytes = 1024 * 1024;

/** How much of the device has been handed on, and how much of that was really read. */
export interface ReadProgress {
  doneBytes: number;
  readBytes: number;
}

/**
 * The whole device from offset 0 as a stream: what lies in `ranges` (sorted, apart) as it is, zeroes for the rest. Reads
 * one chunk ahead; a chunk is used again once the next one is asked for. `onChunk` is called with what has been
 * taken. @throws BLOCK_READ_FAILED
 */
export async function* readDevice(
  device: BlockDevice,
  ranges: readonly ByteRange[],
  onChunk: (progress: ReadProgress) => void = () => {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const buffers = [Buffer.alloc(chunkBytes), Buffer.alloc(chunkBytes)];
  const zeroes = Buffer.alloc(chunkBytes);
  const done: ReadProgress = { doneBytes: 0, readBytes: 0 };
  const pieces = piecesOf(ranges, device.sizeBytes);
  let turn = 0;
  const start = () => {
    const next = pieces.next();
    if (next.done) return undefined;
    const { offset, length, used } = next.value;
    if (!used) return Promise.resolve({ chunk: zeroes.subarray(0, length), used });
    const chunk = (buffers[turn++ % buffers.length] ?? zeroes).subarray(0, length);
    const read = device.read(chunk, offset).then(() => ({ chunk, used }));
    // It may fail while the chunk before it is still being taken; it is awaited then.
    read.catch(() => {});
    return read;
  };
  for (let ahead = start(); ahead !== undefined; ) {
    const { chunk, used } = await ahead;
    // Into the other buffer: the chunk that was in it has been taken.
    ahead = start();
    yield chunk;
    done.doneBytes += chunk.length;
    if (used) done.readBytes += chunk.length;
    onChunk({ ...done });
  }
}

interface Piece {
  offset: number;
  length: number;
  used: boolean;
}

/** Cuts the device at the borders of chunks and ranges. */
function* piecesOf(ranges: readonly ByteRange[], sizeBytes: number): Generator<Piece, void, undefined> {
  let index = 0;
  for (let offset = 0; offset < sizeBytes; ) {
    while ((ranges[index]?.end ?? Number.POSITIVE_INFINITY) <= offset) index++;
    const range = ranges[index];
    const used = range !== undefined && range.start <= offset;
    const border = range === undefined ? sizeBytes : used ? range.end : range.start;
    const chunkEnd = offset - (offset % chunkBytes) + chunkBytes;
    const end = Math.min(border, chunkEnd, sizeBytes);
    yield { offset, length: end - offset, used };
    offset = end;
  }
}
