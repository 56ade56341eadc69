import { AppError } from '@lateen/errors';

/** Pieces below this are copied together: a peer that sends single bytes would cost us a hundred times as much in objects. */
const smallBytes = 1024;
const blockBytes = 64 * 1024;

/**
 * Received bytes that were not taken yet, as the list of pieces in which they came. Large data leaves it
 * without a copy. The caller that fills it limits its size.
 */
export class ByteQueue {
  #pieces: Buffer[] = [];
  #length = 0;
  readonly #head = Buffer.alloc(64);
  /** Where small pieces are copied to; the last piece of the list ends at `#blockUsed` of it while `#blockIsLast`. */
  #block: Buffer | undefined;
  #blockUsed = 0;
  #blockIsLast = false;

  get length(): number {
    return this.#length;
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#length += bytes.length;
    if (bytes.length < smallBytes && this.#pieces.length > 0) this.#copyIn(bytes);
    else {
      this.#pieces.push(bytes);
      this.#blockIsLast = false;
    }
  }

  /** The next `n` (up to 64) bytes, taken out, in a buffer that is valid until the next call; undefined when there are fewer. */
  takeHead(n: number): Buffer | undefined {
    if (this.#length < n) return undefined;
    const first = this.#pieces[0];
    if (first !== undefined && first.length >= n) {
      const head = first.subarray(0, n);
      this.#dropFirst(n, first);
      return head;
    }
    let filled = 0;
    for (const piece of this.takeList(n) ?? []) {
      piece.copy(this.#head, filled);
      filled += piece.length;
    }
    return this.#head.subarray(0, filled);
  }

  /** The first four bytes as a number, left where they are. */
  peekUint32(): number | undefined {
    if (this.#length < 4) return undefined;
    const first = this.#pieces[0];
    if (first !== undefined && first.length >= 4) return first.readUInt32BE(0);
    return Buffer.concat(this.#pieces.slice(0, 4)).readUInt32BE(0);
  }

  /** The next `n` bytes, taken out, as the pieces in which they came; undefined when there are fewer. */
  takeList(n: number): Buffer[] | undefined {
    if (this.#length < n) return undefined;
    const taken: Buffer[] = [];
    let whole = 0;
    let missing = n;
    for (const piece of this.#pieces) {
      if (missing === 0) break;
      if (piece.length > missing) {
        taken.push(piece.subarray(0, missing));
        this.#pieces[whole] = piece.subarray(missing);
        break;
      }
      taken.push(piece);
      whole += 1;
      missing -= piece.length;
    }
    if (whole === this.#pieces.length) this.#blockIsLast = false;
    if (whole > 0) this.#pieces.splice(0, whole);
    this.#length -= n;
    checkLength(taken, n);
    return taken;
  }

  #dropFirst(n: number, first: Buffer): void {
    this.#length -= n;
    if (first.length > n) {
      this.#pieces[0] = first.subarray(n);
      return;
    }
    this.#pieces.shift();
    if (this.#pieces.length === 0) this.#blockIsLast = false;
  }

  #copyIn(bytes: Buffer): void {
    if (this.#block === undefined || this.#block.length - this.#blockUsed < bytes.length) {
      this.#block = Buffer.allocUnsafeSlow(blockBytes);
      this.#blockUsed = 0;
      this.#blockIsLast = false;
    }
    const from = this.#blockUsed;
    bytes.copy(this.#block, from);
    this.#blockUsed = from + bytes.length;
    const last = this.#pieces.length - 1;
    const grown = this.#blockIsLast ? (this.#pieces[last]?.length ?? 0) : 0;
    const piece = this.#block.subarray(from - grown, this.#blockUsed);
    if (grown > 0) this.#pieces[last] = piece;
    else this.#pieces.push(piece);
    this.#blockIsLast = true;
  }
}

export function bytesIn(pieces: readonly Uint8Array[]): number {
  let sum = 0;
  for (const piece of pieces) sum += piece.length;
  return sum;
}

/**
 * Data that has shifted by some bytes is lost without anybody seeing it, so the pieces themselves are asked for their
 * lengths: an optimising compiler has once miscounted in a loop like the one above (docs/adr/0044).
 */
function checkLength(pieces: readonly Uint8Array[], n: number): void {
  if (bytesIn(pieces) !== n)
    throw new AppError('NBD_MISCOUNTED', `${bytesIn(pieces)} bytes were taken instead of ${n}`);
}
