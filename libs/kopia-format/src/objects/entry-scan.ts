import { isObject } from '../json-value.ts';

export type JsonEntry = Readonly<Record<string, unknown>>;

const code = { quote: 0x22, backslash: 0x5c, open: 0x7b, close: 0x7d, arrayOpen: 0x5b, arrayClose: 0x5d, n: 0x6e };
/** An entry has a name of 255 bytes at most, each of which takes six when it is escaped. */
const entryBytesMax = 64 * 1024;
/** What stands behind the entries: sums, and some of the errors of the backup. */
const endBytesMax = 1024 * 1024;

/** Finds where entries of an array end, in text that comes in pieces, and parses as many at once as there are. */
export class EntryScan {
  #rest: Uint8Array = new Uint8Array();
  /** How far `rest` has been scanned. */
  #at = 0;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #stage: 'begin' | 'entries' | 'end' = 'begin';

  #hasBegun = false;
  readonly #corrupt: (why: string, cause?: unknown) => Error;

  constructor(corrupt: (why: string, cause?: unknown) => Error) {
    this.#corrupt = corrupt;
  }

  /** The entries that are whole now. */
  push(piece: Uint8Array): readonly JsonEntry[] {
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    if (this.#stage === 'begin' && !this.#begin()) return [];
    const entries = this.#stage === 'entries' ? this.#whole() : [];
    const max = this.#stage === 'end' ? endBytesMax : entryBytesMax;
    if (this.#rest.length > max) throw this.#corrupt('has an entry that is too long');
    // Views of pieces that belong to others are not kept.
    this.#rest = this.#rest.slice();
    return entries;
  }

  /** To be called when there is no more. */
  finish(): void {
    if (this.#stage !== 'end') throw this.#corrupt('ends early');
    const [end] = this.#parsed(`{"":0${textOf(this.#rest)}`);
    if (!isObject(end)) throw this.#corrupt('has no end');
  }

  /** An array, or null when there is no entry. */
  #begin(): boolean {
    const first = this.#rest[0];
    if (first === code.n) {
      if (this.#rest.length < 'null'.length) return false;
      if (textOf(this.#rest.subarray(0, 4)) !== 'null') throw this.#corrupt('has no entries');
      this.#rest = this.#rest.subarray(4);
      this.#stage = 'end';
      return true;
    }
    if (first !== code.arrayOpen) throw this.#corrupt('has no entries');
    this.#rest = this.#rest.subarray(1);
    this.#stage = 'entries';
    return true;
  }

  #whole(): readonly JsonEntry[] {
    const bytes = this.#rest;
    let end = 0;
    let at = this.#at;
    let depth = this.#depth;
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === code.backslash) isEscaped = true;
        else if (byte === code.quote) isInText = false;
      } else if (byte === code.quote) isInText = true;
      else if (byte === code.open) depth++;
      else if (byte === code.close) {
        depth--;
        if (depth === 0) end = at + 1;
        else if (depth < 0) break;
      } else if (byte === code.arrayClose && depth === 0) break;
    }
    this.#depth = depth;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
    return this.#take(bytes, end, at);
  }

  #take(bytes: Uint8Array, end: number, at: number): readonly JsonEntry[] {
    const isEnd = at < bytes.length;
    const text = textOf(bytes.subarray(0, isEnd ? at : end));
    this.#rest = bytes.subarray(isEnd ? at + 1 : end);
    this.#at = isEnd ? 0 : at - end;
    if (isEnd) this.#stage = 'end';
    if (text.trim() === '') return [];
    if (this.#hasBegun && !text.startsWith(',')) throw this.#corrupt('is not JSON');
    const listed = this.#hasBegun ? text.slice(1) : text;
    this.#hasBegun = true;
    const entries = this.#parsed(`[${listed}]`);
    if (entries.length === 0) throw this.#corrupt('is not JSON');
    for (const entry of entries) if (!isObject(entry)) throw this.#corrupt('has an entry that is not an object');
    return entries as JsonEntry[];
  }

  #parsed(text: string): unknown[] {
    try {
      const value: unknown = JSON.parse(text);
      return Array.isArray(value) ? value : [value];
    } catch (error) {
      throw this.#corrupt('is not JSON', error);
    }
  }
}

const textOf = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
