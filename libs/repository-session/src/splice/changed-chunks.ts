import { type ChunkLayout, chunkCount, fixedChunks } from '@lateen/kopia-format';
import { baseReasons, baseUnusable } from './base-unusable.ts';

/** Bytes of a volume that may differ from its base. */
export interface ChangedRange {
  offset: number;
  length: number;
}

/** The list of chunk IDs is in memory: about 60 bytes each. 4 TiB with chunks of 4 MiB. */
export const chunksMax = 1_048_576;

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
  for (const { first, end } of fixedChunks(checked(ranges, layout.sizeBytes), layout.chunkBytes))
    for (let chunk = first; chunk < end; chunk++) chunks.push(chunk);
  return chunks;
}

/** @throws BASE_SNAPSHOT_UNUSABLE */
function* checked(ranges: Iterable<ChangedRange>, sizeBytes: number): Generator<ChangedRange> {
  let end = 0;
  for (const { offset, length } of ranges) {
    const isNumber = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && length > 0;
    if (!isNumber || offset < end || offset + length > sizeBytes)
      throw baseUnusable(baseReasons.ranges, `${length} bytes at ${offset} after ${end} of ${sizeBytes}`);
    end = offset + length;
    yield { offset, length };
  }
}
