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
