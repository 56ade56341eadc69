import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';

const compressed: (plain: Uint8Array, options: { level: number }) => Promise<Uint8Array> = promisify(deflateRaw);

/** The chunk size: large enough to compress names to a seventh, small enough to unpack in a fraction of a millisecond. */
const chunkCharsDefault = 64 * 1024;

interface Chunk {
  first: string;
  /** The sorted lines; compressed as soon as the thread pool has finished. */
  text: string | Uint8Array;
}

/**
 * Keeps many short lines in little memory (a backup keeps the name of every object until its end) and returns them sorted. Lines that come
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

  /** How many bytes are held. */
  get bytes(): number {
    return this.#chunks.reduce((sum, { text }) => sum + text.length, this.#openChars);
  }

  /** Resolves when the chunks that are full by now are compressed. */
  compressed(): Promise<void> {
    return this.#compressing;
  }

  /** @param line without line breaks */
  add(line: string): void {
    this.#open.push(line);
    this.#openChars += line.length;
    this.#count++;
    if (this.#openChars >= this.#chunkChars) this.#close();
  }

  /** All lines, sorted by their characters. Lines that are added during the iteration may be missing. */
  *sorted(): Generator<string> {
    if (this.#open.length > 0) this.#close();
    const waiting = this.#chunks.toSorted((a, b) => (a.first < b.first ? -1 : 1)).map(linesOf);
    const open: Iterator<string>[] = [];
    let heads: string[] = [];
    for (;;) {
      let least = 0;
      for (let at = 1; at < heads.length; at++) if ((heads[at] as string) < (heads[least] as string)) least = at;
      const next = waiting[0];
      // A chunk is unpacked when its first line is due. Chunks of a sorted list never overlap, so only one is unpacked at a time.
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
    // The compression is not awaited: until it is done, and if it fails, the text itself is used.
    const compressing = compressed(Buffer.from(chunk.text as string), { level: 1 }).then(
      (bytes) => {
        chunk.text = bytes;
      },
      () => {},
    );
    this.#compressing = Promise.all([this.#compressing, compressing]).then(() => {});
  }
}

/** The first line is known without unpacking; `lines` returns the others. */
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
