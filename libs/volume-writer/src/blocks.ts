/** What file systems usually allocate at least: a shorter hole would save nothing. */
export const blockBytes = 4096;

/** A run of whole blocks, cut at multiples of a block of the file. */
export interface BlockRun {
  /** In the data. */
  start: number;
  end: number;
  isZero: boolean;
}

const zeroes = Buffer.alloc(blockBytes);

/** Nothing but zeroes. */
export function isZero(data: Uint8Array): boolean {
  for (const run of blockRuns(data, 0)) if (!run.isZero) return false;
  return true;
}

/** Cuts data that belongs at `offset` of a file into runs of zero blocks and of others. */
export function* blockRuns(data: Uint8Array, offset: number): Generator<BlockRun, void, undefined> {
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  let start = 0;
  let isZero: boolean | undefined;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + blockBytes - ((offset + at) % blockBytes), bytes.length);
    const here = bytes[at] === 0 && bytes.compare(zeroes, 0, end - at, at, end) === 0;
    if (isZero !== undefined && here !== isZero) {
      yield { start, end: at, isZero };
      start = at;
    }
    isZero = here;
    at = end;
  }
  if (isZero !== undefined) yield { start, end: bytes.length, isZero };
}
