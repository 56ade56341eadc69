/** Pieces for the standard input of a child, pushed as they come. Not bounded: whoever pushes waits for answers. */
export class InputQueue implements AsyncIterable<Uint8Array> {
  #pieces: Uint8Array[] = [];
  #isEnded = false;
  #wake: (() => void) | undefined;

  push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (;;) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) yield piece;
      else if (this.#isEnded) return;
      else await this.#nextPush();
    }
  }

  #nextPush(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}
