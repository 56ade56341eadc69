import { type BlockTarget, blockRangeError, blockRequestBytesMax, type ZeroOptions } from '@lateen/block-engine';
import type { Core } from './core.ts';
import { Read } from './read-path.ts';
import type { Piece } from './widen.ts';
import { Flush, Write } from './write-path.ts';

/** What the front end serves. */
export function target(core: Core): BlockTarget {
  const write = (piece: Piece, length: number, options: ZeroOptions) =>
    new Promise<void>((resolve, reject) => {
      const wrong = rangeError(core, piece.at, length);
      if (wrong !== undefined) return reject(wrong);
      core.gate.enter(new Write({ core, piece, length, options }, resolve, reject));
    });
  return {
    get sizeBytes() {
      return BigInt(core.sizeBytes);
    },
    read: (from, length) =>
      new Promise((resolve, reject) => {
        const at = Number(from);
        const wrong = rangeError(core, at, length);
        if (wrong !== undefined) return reject(wrong);
        core.gate.enter(new Read(core, at, length, resolve, reject));
      }),
    write: (from, data, options = {}) => write({ at: Number(from), data }, lengthOf(data), options),
    zero: (from, length, options = {}) => write({ at: Number(from), zeros: length }, length, options),
    // A qcow2 discard leaves old data or zeros, depending on the layers below: replicas would differ. So a trim writes zeros.
    trim: (from, length) => write({ at: Number(from), zeros: length }, length, { unmap: true }),
    flush: () => new Promise((resolve, reject) => core.gate.enter(new Flush(core, 0, resolve, reject))),
  };
}

function lengthOf(data: readonly Uint8Array[]): number {
  let length = 0;
  for (const { byteLength } of data) length += byteLength;
  return length;
}

/** Checked here, because a request beyond the end would make each replica fail in turn. */
function rangeError(core: Core, at: number, length: number): Error | undefined {
  if (at >= 0 && length > 0 && length <= blockRequestBytesMax && at + length <= core.sizeBytes) return undefined;
  return blockRangeError(`${length} bytes at ${at} are not within ${core.sizeBytes}`);
}
