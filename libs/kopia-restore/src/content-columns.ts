import type { ContentLocation } from '@lateen/kopia-format';

/** Contents of one pack by column; see EntryColumns. */
export interface ContentColumns {
  packId: string;
  /** Joined by NUL. */
  ids: string;
  /** In the bytes of the task, not in the pack. */
  starts: Float64Array;
  /** In the pack, for messages. */
  offsets: Float64Array;
  lengths: Float64Array;
  originalLengths: Float64Array;
  compressions: Uint32Array;
}

/** `start` is the offset in the pack of the task's first byte. */
export function contentColumns(packId: string, start: number, locations: readonly ContentLocation[]): ContentColumns {
  return {
    packId,
    ids: locations.map(({ contentId }) => contentId).join('\0'),
    starts: Float64Array.from(locations, ({ offset }) => offset - start),
    offsets: Float64Array.from(locations, ({ offset }) => offset),
    lengths: Float64Array.from(locations, ({ length }) => length),
    originalLengths: Float64Array.from(locations, ({ originalLength }) => originalLength),
    compressions: Uint32Array.from(locations, ({ compressionHeaderId }) => compressionHeaderId),
  };
}

/** One of them, with its packed bytes. */
export interface ToldContent {
  location: ContentLocation;
  packed: Uint8Array;
}

export function contentsOf(columns: ContentColumns, bytes: Uint8Array): ToldContent[] {
  const { packId, starts, offsets, lengths, originalLengths, compressions } = columns;
  if (starts.length === 0) return [];
  return columns.ids.split('\0').map((contentId, at) => {
    const [start = 0, length = 0] = [starts[at], lengths[at]];
    return {
      location: {
        contentId,
        packId,
        offset: offsets[at] ?? 0,
        length,
        originalLength: originalLengths[at] ?? 0,
        compressionHeaderId: compressions[at] ?? 0,
      },
      packed: bytes.subarray(start, start + length),
    };
  });
}
