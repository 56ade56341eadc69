import { FieldError, type Fields, jsonFields } from './config-field.ts';

/** Everything of a backup's file but its blocks: labels, parameters, the status of the volume as text. */
const restBytesMax = 8 * 1024 * 1024;
/** One block has 100 bytes. */
const itemBytesMax = 4 * 1024;

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a];
const [opensList, closesList, opensObject, closesObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const spaces: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Reads the JSON of a backup piece by piece: the objects of its list `Blocks` one at a time, for there may be a million, the
 * rest whole. Pieces may break anywhere.
 */
export class ConfigScanner {
  readonly #onBlock: (text: string) => void;
  readonly #rest = new Bytes(restBytesMax, 'what is beside its blocks');
  readonly #item = new Bytes(itemBytesMax, 'a block in it');
  readonly #text = new Bytes(restBytesMax, 'a text in it');
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The name whose value comes, at depth 1. */
  #name = '';
  #inBlocks = false;

  constructor(onBlock: (text: string) => void) {
    this.#onBlock = onBlock;
  }

  /** @throws FieldError */
  push(piece: Uint8Array): void {
    for (const byte of piece) {
      if (this.#inBlocks) this.#takeInBlocks(byte);
      else this.#takeOutside(byte);
    }
  }

  /** What is beside the blocks. @throws FieldError when the text was cut */
  end(): Fields {
    if (this.#depth !== 0 || this.#inString) throw new FieldError('its end is missing');
    return jsonFields(this.#rest.text());
  }

  #takeOutside(byte: number): void {
    this.#rest.add(byte);
    if (this.#inString) {
      const isOver = !this.#isStringGoingOn(byte);
      if (!isOver && this.#depth === 1) this.#text.add(byte);
      return;
    }
    if (byte === quote) {
      this.#inString = true;
      if (this.#depth === 1) this.#text.clear();
    } else if (byte === colon && this.#depth === 1) this.#name = this.#text.text();
    else if (byte === opensList || byte === opensObject) {
      this.#depth++;
      this.#inBlocks = byte === opensList && this.#depth === 2 && this.#name === 'Blocks';
    } else if (byte === closesList || byte === closesObject) this.#depth--;
  }

  #takeInBlocks(byte: number): void {
    const wasInside = this.#depth > 2;
    if (this.#inString) this.#isStringGoingOn(byte);
    else if (byte === quote) this.#inString = true;
    else if (byte === opensList || byte === opensObject) this.#depth++;
    else if (byte === closesList || byte === closesObject) this.#depth--;
    if (wasInside || this.#depth > 2) this.#item.add(byte);
    else if (byte === closesList) {
      this.#rest.add(byte);
      this.#inBlocks = false;
    } else if (byte !== comma && !spaces.has(byte))
      throw new FieldError('an entry of its list of blocks is not a block');
    if (wasInside && this.#depth === 2) {
      this.#onBlock(this.#item.text());
      this.#item.clear();
    }
  }

  #isStringGoingOn(byte: number): boolean {
    if (this.#escaped) this.#escaped = false;
    else if (byte === backslash) this.#escaped = true;
    else if (byte === quote) this.#inString = false;
    return this.#inString;
  }
}

/** Bytes one after the other, and no more than may be. */
class Bytes {
  readonly #bytesMax: number;
  readonly #what: string;
  #held = Buffer.alloc(256);
  #length = 0;

  constructor(bytesMax: number, what: string) {
    this.#bytesMax = bytesMax;
    this.#what = what;
  }

  add(byte: number): void {
    if (this.#length === this.#held.length) {
      if (this.#length >= this.#bytesMax) throw new FieldError(`${this.#what} has more than ${this.#bytesMax} bytes`);
      this.#held = Buffer.concat([this.#held, Buffer.alloc(this.#held.length)]);
    }
    this.#held[this.#length++] = byte;
  }

  text(): string {
    return this.#held.toString('utf8', 0, this.#length);
  }

  clear(): void {
    this.#length = 0;
  }
}
