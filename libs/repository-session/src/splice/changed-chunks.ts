import { baseReasons, baseUnusable } from './base-unusable.ts';

/** Bytes of a volume that may differ from its base. */
export interface ChangedRange {
  offset: number;
  length: number;
}

/** How a volume lies in the repository: chunk n is bytes n × chunkBytes and following, the last one may be shorter. */
export interface ChunkLayout {
  sizeBytes: number;
  chunkBytes: number;
}

/** The list of chunk IDs is in memory: about 60 bytes each. 4 TiB with chunks of 4 MiB. */
export const chunksMax = 1_048_576;

export const chunkCount = ({ sizeBytes, chunkBytes }: ChunkLayout): number => Math.ceil(sizeBytes / chunkBytes);

export const chunkLength = (chunk: number, { sizeBytes, chunkBytes }: ChunkLayout): number =>
  Math.min(chunkBytes, sizeBytes - chunk * chunkBytes);

/** @throws BASE_SNAPSHOT_UNUSABLE for a volume that has no bytes or too many chunks. Pure. */
export function checkLayout(layout: ChunkLayout): void {
  const { sizeBytes, chunkBytes } = layout;
  const isSize = (bytes: number): boolean => Number.isSafeInteger(bytes) && bytes > 0;
  if (!isSize(sizeBytes) || !isSize(chunkBytes)) throw baseUnusable(baseReasons.otherSize, `${sizeBytes} bytes`);
  if (chunkCount(layout) > chunksMax) throw baseUnusable(baseReasons.tooLarge, `more than ${chunksMax}`);
}

/**
 * The chunks that the ranges touch, in order, each once. A list that is out of order, overlaps, or goes beyond the volume belongs to
 * another volume or was cut: none of it counts. @throws BASE_SNAPSHOT_UNUSABLE. Pure.
 */
export function changedChunks(ranges: Iterable<ChangedRange>, layout: ChunkLayout): number[] {
  const chunks: number[] = [];
  let end = 0;
  for (const { offset, length } of ranges) {
    const isNumber = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && length > 0;
    if (!isNumber || offset < end || offset + length > layout.sizeBytes)
      throw baseUnusable(baseReasons.ranges, `${length} bytes at ${offset} after ${end} of ${layout.sizeBytes}`);
    end = offset + length;
    const last = Math.floor((end - 1) / layout.chunkBytes);
    for (let chunk = Math.floor(offset / layout.chunkBytes); chunk <= last; chunk++)
      if (chunk !== chunks.at(-1)) chunks.push(chunk);
  }
  return chunks;
}
