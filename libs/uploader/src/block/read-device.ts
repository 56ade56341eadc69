import type { BlockDevice } from './block-device.ts';
import type { ByteRange } from './byte-ranges.ts';

/** One read; a multiple of every page and sector size. */
export const chunkBytes = 1024 * 1024;

/** How many bytes of the device have been passed on, and how many of those were really read. */
export interface ReadProgress {
  doneBytes: number;
  readBytes: number;
}

/**
 * The whole device from offset 0 as a stream: the content of `ranges` (sorted, without overlap), zeroes for the rest. Reads one
 * chunk ahead; a buffer is used again once the next chunk is requested. `onChunk` is called with the chunk that was consumed.
 * @throws BLOCK_READ_FAILED
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
    // It may reject while the previous chunk is still being consumed; it is awaited after that.
    read.catch(() => {});
    return read;
  };
  for (let ahead = start(); ahead !== undefined; ) {
    const { chunk, used } = await ahead;
    // Reads into the other buffer: its chunk has been consumed.
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
