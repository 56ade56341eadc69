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
