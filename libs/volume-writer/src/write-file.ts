import { writeSync, writevSync } from 'node:fs';
import { blockRuns } from './blocks.ts';

/** Everything of `data` at `offset`. */
export function writeFully(file: number, data: Uint8Array, offset: number): void {
  for (let done = 0; done < data.length; ) done += writeSync(file, data, done, data.length - done, offset + done);
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
