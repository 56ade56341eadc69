/** Bytes of a volume from `offset` on. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/**
 * Ranges that a list holds at most: 32 MiB of memory. A volume of 16 TiB in chunks of 4 MiB has at most half as many chunks that do not touch
 * each other, so below that size nothing is ever lost but what is finer than a chunk.
 */
export const rangesMaxDefault = 2 ** 21;

const rangesFirst = 1024;

export interface RangeListLimits {
  /** Size of the volume: a range ends there at most. */
  readonly sizeBytes: number;
  /** To what ranges are widened first when there are too many: the size of the chunks that are read in any case. */
  readonly chunkBytes: number;
  readonly rangesMax?: number;
}

/**
 * Ranges in ascending order that neither overlap nor touch, 16 bytes for each. When there are more than `rangesMax`, all are widened to
 * whole chunks, then to twice that size, and so on: the list may name more bytes than were added, never less.
 */
export class RangeList implements Iterable<ByteRange> {
  readonly #limits: Required<RangeListLimits>;
  #starts = new Float64Array(rangesFirst);
  #ends = new Float64Array(rangesFirst);
  #count = 0;
  #granuleBytes = 1;
  /** The exact end of the last range that was added. */
  #addedEnd = 0;

  constructor({ sizeBytes, chunkBytes, rangesMax = rangesMaxDefault }: RangeListLimits) {
    if (!(Number.isSafeInteger(sizeBytes) && sizeBytes >= 0)) throw new RangeError(`not a size: ${sizeBytes}`);
    if (!(Number.isSafeInteger(chunkBytes) && chunkBytes > 0)) throw new RangeError(`not a chunk size: ${chunkBytes}`);
    // With one alone nothing could be added that does not touch it.
    if (!(rangesMax >= 2)) throw new RangeError(`a list cannot hold ${rangesMax} ranges`);
    this.#limits = { sizeBytes, chunkBytes, rangesMax };
  }

  get sizeBytes(): number {
    return this.#limits.sizeBytes;
  }

  get count(): number {
    return this.#count;
  }

  /** To what ranges are widened; 1: they are exact. */
  get granuleBytes(): number {
    return this.#granuleBytes;
  }

  /** Bytes in all ranges. */
  get bytes(): number {
    let sum = 0;
    for (const { length } of this) sum += length;
    return sum;
  }

  /** Adds a range that begins at or behind the end of the last one that was added. @throws RangeError for any other */
  add({ offset, length }: ByteRange): void {
    const isRange = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length > 0;
    if (!isRange || offset + length > this.sizeBytes)
      throw new RangeError(`${length} bytes from ${offset} on are not in a volume of ${this.sizeBytes}`);
    if (offset < this.#addedEnd)
      throw new RangeError(`the range from ${offset} on begins before ${this.#addedEnd}, the end of the last one`);
    this.#addedEnd = offset + length;
    for (;;) {
      const start = this.#down(offset);
      const end = this.#up(offset + length);
      if (this.#join(start, end)) return;
      if (this.#count < this.#limits.rangesMax) {
        this.#push(start, end);
        return;
      }
      this.#widen();
    }
  }

  *[Symbol.iterator](): Generator<ByteRange> {
    for (let at = 0; at < this.#count; at++) {
      const offset = this.#starts[at] ?? 0;
      yield { offset, length: (this.#ends[at] ?? 0) - offset };
    }
  }

  /** The ranges that touch this one, in ascending order, cut at both its ends. */
  *within({ offset, length }: ByteRange): Generator<ByteRange> {
    const end = offset + length;
    for (let at = this.#firstAfter(offset); at < this.#count; at++) {
      const start = Math.max(this.#starts[at] ?? 0, offset);
      if (start >= end) return;
      yield { offset: start, length: Math.min(this.#ends[at] ?? 0, end) - start };
    }
  }

  /** The index of the first range that ends behind this byte; the number of ranges if there is none. */
  #firstAfter(offset: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#ends[middle] ?? 0) > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #lastEnd(): number {
    return this.#count === 0 ? 0 : (this.#ends[this.#count - 1] ?? 0);
  }

  /** Whether the range touches the last one, which then reaches over both. */
  #join(start: number, end: number): boolean {
    if (this.#count === 0 || start > this.#lastEnd()) return false;
    this.#ends[this.#count - 1] = Math.max(end, this.#lastEnd());
    return true;
  }

  #push(start: number, end: number): void {
    if (this.#count === this.#starts.length) {
      this.#starts = grown(this.#starts);
      this.#ends = grown(this.#ends);
    }
    this.#starts[this.#count] = start;
    this.#ends[this.#count] = end;
    this.#count += 1;
  }

  #widen(): void {
    this.#granuleBytes = this.#granuleBytes === 1 ? this.#limits.chunkBytes : this.#granuleBytes * 2;
    const count = this.#count;
    this.#count = 0;
    for (let at = 0; at < count; at++) {
      const start = this.#down(this.#starts[at] ?? 0);
      const end = this.#up(this.#ends[at] ?? 0);
      if (!this.#join(start, end)) this.#push(start, end);
    }
  }

  #down(offset: number): number {
    return offset - (offset % this.#granuleBytes);
  }

  #up(end: number): number {
    const beyond = end % this.#granuleBytes;
    return Math.min(beyond === 0 ? end : end - beyond + this.#granuleBytes, this.sizeBytes);
  }
}

function grown(from: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const to = new Float64Array(from.length * 2);
  to.set(from);
  return to;
}
