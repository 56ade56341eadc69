import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';

const compressed: (plain: Uint8Array, options: { level: number }) => Promise<Uint8Array> = promisify(deflateRaw);

/** Enough to compress names to a seventh; little enough to unpack in a fraction of a millisecond. */
const chunkCharsDefault = 64 * 1024;

interface Chunk {
  first: string;
  /** The lines, sorted; compressed as soon as the thread pool has done it. */
  text: string | Uint8Array;
}

/**
 * Many short lines in little memory (a backup keeps the name of every object until its end), given back sorted. Lines that come
 * in order, as those of a list do, are unpacked one chunk at a time.
 */
export class CompactLines {
  readonly #chunkChars: number;
  #open: string[] = [];
  #openChars = 0;
  readonly #chunks: Chunk[] = [];
  #compressing: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(chunkChars = chunkCharsDefault) {
    this.#chunkChars = chunkChars;
  }

  get count(): number {
    return this.#count;
  }

  /** What is held. */
  get bytes(): number {
    return this.#chunks.reduce((sum, { text }) => sum + text.length, this.#openChars);
  }

  /** Resolves when everything that is to be compressed by now is. */
  compressed(): Promise<void> {
    return this.#compressing;
  }

  /** Without line breaks. */
  add(line: string): void {
    this.#open.push(line);
    this.#openChars += line.length;
    this.#count++;
    if (this.#openChars >= this.#chunkChars) this.#close();
  }

  /** Every line, in the order of their characters. Lines added meanwhile may be missed. */
  *sorted(): Generator<string> {
    if (this.#open.length > 0) this.#close();
    const waiting = this.#chunks.toSorted((a, b) => (a.first < b.first ? -1 : 1)).map(linesOf);
    const open: Iterator<string>[] = [];
    let heads: string[] = [];
    for (;;) {
      let least = 0;
      for (let at = 1; at < heads.length; at++) if ((heads[at] as string) < (heads[least] as string)) least = at;
      const next = waiting[0];
      // A chunk is opened when its first line is due: those of a list never overlap, so one is open.
      if (next !== undefined && (heads.length === 0 || next.first <= (heads[least] as string))) {
        waiting.shift();
        open.push(next.lines());
        heads.push(next.first);
        continue;
      }
      const line = heads[least];
      if (line === undefined) return;
      yield line;
      const following = open[least]?.next();
      if (following?.done === false) heads[least] = following.value;
      else {
        open.splice(least, 1);
        heads = heads.toSpliced(least, 1);
      }
    }
  }

  #close(): void {
    const lines = this.#open.sort();
    const chunk: Chunk = { first: lines[0] ?? '', text: lines.join('\n') };
    this.#chunks.push(chunk);
    this.#open = [];
    this.#openChars = 0;
    // Nobody has to wait for it: until it is done, and should it fail, the text itself is there.
    const compressing = compressed(Buffer.from(chunk.text as string), { level: 1 }).then(
      (bytes) => {
        chunk.text = bytes;
      },
      () => {},
    );
    this.#compressing = Promise.all([this.#compressing, compressing]).then(() => {});
  }
}

/** The first line is known without unpacking; `lines` gives those after it. */
function linesOf({ first, text }: Chunk): { first: string; lines(): Iterator<string> } {
  return {
    first,
    lines: () => {
      const plain = typeof text === 'string' ? text : inflateRawSync(text).toString('utf8');
      const all = plain.split('\n').values();
      all.next();
      return all;
    },
  };
}
