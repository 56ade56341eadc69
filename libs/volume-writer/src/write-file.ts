import { readSync, writeSync, writevSync } from 'node:fs';
import { blockRuns } from './blocks.ts';

/** Everything of `data` at `offset`. */
export function writeFully(file: number, data: Uint8Array, offset: number): void {
  for (let done = 0; done < data.length; ) done += writeSync(file, data, done, data.length - done, offset + done);
}

/** Fills `into` with what is at `offset`. @throws what `failed` makes of an error and where it was met, the end of the file included */
export function readFully(
  file: number,
  into: Uint8Array,
  offset: number,
  failed: (at: number, cause: unknown) => unknown = (_, cause) => cause,
): void {
  let done = 0;
  try {
    while (done < into.length) {
      const bytes = readSync(file, into, done, into.length - done, offset + done);
      if (bytes === 0) throw new Error('it ends here');
      done += bytes;
    }
  } catch (cause) {
    throw failed(offset + done, cause);
  }
}

/** As `writeFully`, without blocks of zeroes: the file must have holes there. True when one was left out. */
export function writeSparse(file: number, data: Uint8Array, offset: number): boolean {
  let leftOut = false;
  for (const { start, end, isZero } of blockRuns(data, offset)) {
    if (isZero) leftOut = true;
    else writeFully(file, data.subarray(start, end), offset + start);
  }
  return leftOut;
}

/** As `writeSparse`, where the file may hold anything: zeroes are written where it holds something else. */
export function writeSparseOver(file: number, data: Uint8Array, offset: number): void {
  writeSparse(file, data, offset);
  for (const hole of blockRuns(data, offset)) {
    if (!hole.isZero) continue;
    const at = offset + hole.start;
    const present = Buffer.allocUnsafe(hole.end - hole.start);
    readFully(file, present, at);
    for (const { start, end, isZero } of blockRuns(present, at))
      if (!isZero) writeFully(file, new Uint8Array(end - start), at + start);
  }
}

/** The pieces of a file in order, from its beginning. */
export function writePieces(file: number, pieces: readonly Uint8Array[]): void {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0);
  if (pieces.length > 1 && pieces.length <= piecesMax && writevSync(file, pieces, 0) === bytes) return;
  let offset = 0;
  for (const piece of pieces) {
    writeFully(file, piece, offset);
    offset += piece.length;
  }
}

/** Of one writev(2); Linux takes 1024. */
const piecesMax = 1024;
