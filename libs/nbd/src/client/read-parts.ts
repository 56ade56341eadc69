import { bytesIn } from '../wire/byte-queue.ts';

interface Part {
  from: number;
  lengthBytes: number;
  /** Undefined: a hole. */
  data: readonly Uint8Array[] | undefined;
}

/** A server has no reason to cut a read finer than into sectors. */
const partBytesMin = 512;
const partsSpare = 16;

/** The parts of one read as structured replies bring them, in any order. */
export class ReadParts {
  readonly #lengthBytes: number;
  readonly #parts: Part[] = [];
  #ascending = true;

  constructor(lengthBytes: number) {
    this.#lengthBytes = lengthBytes;
  }

  /** False when the part lies outside of the read, or there are too many of them. */
  add(from: number, lengthBytes: number, data: readonly Uint8Array[] | undefined): boolean {
    if (from < 0 || lengthBytes < 1 || from + lengthBytes > this.#lengthBytes) return false;
    if (this.#parts.length > this.#lengthBytes / partBytesMin + partsSpare) return false;
    if (from < (this.#parts.at(-1)?.from ?? 0)) this.#ascending = false;
    this.#parts.push({ from, lengthBytes, data });
    return true;
  }

  /** The whole read; undefined when parts are missing or lie upon each other. */
  joined(): readonly Uint8Array[] | undefined {
    if (!this.#ascending) this.#parts.sort((a, b) => a.from - b.from);
    const pieces: Uint8Array[] = [];
    let next = 0;
    for (const part of this.#parts) {
      if (part.from !== next) return undefined;
      next += part.lengthBytes;
      if (part.data === undefined) pieces.push(Buffer.alloc(part.lengthBytes));
      else for (const piece of part.data) pieces.push(piece);
    }
    return bytesIn(pieces) === this.#lengthBytes ? pieces : undefined;
  }
}
