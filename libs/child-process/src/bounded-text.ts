/** Keeps the first bytes of a stream; what comes after is counted, not kept. */
export class HeadText {
  readonly #chunks: Buffer[] = [];
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Buffer): void {
    const room = this.#bytesMax - this.#bytes;
    if (room > 0) this.#chunks.push(chunk.subarray(0, room));
    this.#bytes += chunk.length;
  }

  get overflowed(): boolean {
    return this.#bytes > this.#bytesMax;
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Keeps the last characters of a stream. */
export class TailText {
  readonly #lengthMax: number;
  #text = '';

  constructor(lengthMax: number) {
    this.#lengthMax = lengthMax;
  }

  push(text: string): void {
    const joined = this.#text + text;
    // Cut only at twice the length, so that a long stream is not copied at every chunk.
    this.#text = joined.length > 2 * this.#lengthMax ? joined.slice(-this.#lengthMax) : joined;
  }

  text(): string {
    return this.#text.slice(-this.#lengthMax);
  }
}
