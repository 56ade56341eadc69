import type { ByteText } from './attribute-record.ts';

/**
 * Cuts a stream of bytes into items at a separator; an item may span several pieces. Items are latin1 strings, one character per
 * byte.
 * @throws what `tooLong` makes, as soon as an item exceeds `lengthMax`
 */
export class ByteSplitter {
  readonly #separator: string;
  readonly #lengthMax: number;
  readonly #tooLong: () => Error;
  #rest = '';

  constructor(separator: '\0' | '\n', lengthMax: number, tooLong: () => Error) {
    this.#separator = separator;
    this.#lengthMax = lengthMax;
    this.#tooLong = tooLong;
  }

  /** Returns the items that this piece completes. */
  push(piece: Uint8Array): ByteText[] {
    const text = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength).toString('latin1');
    const items = (this.#rest + text).split(this.#separator);
    this.#rest = items.pop() ?? '';
    if (this.#rest.length > this.#lengthMax || items.some((item) => item.length > this.#lengthMax))
      throw this.#tooLong();
    return items;
  }

  /** Returns what came after the last separator; "" when the stream ended with one. */
  rest(): ByteText {
    return this.#rest;
  }
}
