/** Bytes of a volume from `offset` on. */
interface Range {
  readonly offset: number;
  readonly length: number;
}

/** How a volume or a file is cut: chunk n is bytes n x `chunkBytes` and following, the last one may be shorter. */
export interface ChunkLayout {
  sizeBytes: number;
  chunkBytes: number;
}

/** A run of chunks that follow each other, `first` up to but not including `end`; chunk n begins at byte n x the size of a chunk. */
export interface ChunkRun {
  readonly first: number;
  readonly end: number;
}

/**
 * The chunks that a FIXED splitter of this size makes of what lies in the ranges, in ascending order; runs neither overlap nor touch. The last
 * chunk of a volume may be shorter. Holds one run at a time. The ranges are in ascending order.
 */
export function* fixedChunks(ranges: Iterable<Range>, chunkBytes: number): Generator<ChunkRun> {
  let open: { first: number; end: number } | undefined;
  for (const { offset, length } of ranges) {
    if (length === 0) continue;
    const first = Math.floor(offset / chunkBytes);
    const end = Math.floor((offset + length - 1) / chunkBytes) + 1;
    if (open !== undefined && first <= open.end) open.end = Math.max(open.end, end);
    else {
      if (open !== undefined) yield open;
      open = { first, end };
    }
  }
  if (open !== undefined) yield open;
}

/** The runs of chunks that lie in none of `changed`, of a volume of this size. */
export function* unchangedChunks(changed: Iterable<ChunkRun>, layout: ChunkLayout): Generator<ChunkRun> {
  let at = 0;
  for (const { first, end } of changed) {
    if (first > at) yield { first: at, end: first };
    at = end;
  }
  const all = chunkCount(layout);
  if (at < all) yield { first: at, end: all };
}

/** How many chunks there are. */
export const chunkCount = ({ sizeBytes, chunkBytes }: ChunkLayout): number => Math.ceil(sizeBytes / chunkBytes);

/** The bytes of a chunk. */
export const chunkLength = (chunk: number, { sizeBytes, chunkBytes }: ChunkLayout): number =>
  Math.min(chunkBytes, sizeBytes - chunk * chunkBytes);

/** How many chunks runs have together. */
export function chunksIn(runs: Iterable<ChunkRun>): number {
  let sum = 0;
  for (const { first, end } of runs) sum += end - first;
  return sum;
}

/** The size of the chunks that kopia's splitter of this name makes, in bytes; undefined for one that cuts by content. */
export function fixedChunkBytes(splitter: string): number | undefined {
  const [, amount, unit] = /^FIXED-(\d+)([KM])$/.exec(splitter) ?? [];
  if (splitter === 'FIXED') return 4 * 2 ** 20;
  if (amount === undefined) return undefined;
  return Number(amount) * (unit === 'K' ? 2 ** 10 : 2 ** 20);
}
