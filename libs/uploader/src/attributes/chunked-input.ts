/** The most bytes that are buffered for a reader. */
const waitingBytesMax = 256 * 1024;

/**
 * A stream of bytes from a writer to a reader, mostly the standard input of a child process. `write` resolves when there is room
 * for more, also after the reader has gone: the exit of the reader tells how it ended.
 */
export class ChunkedInput implements AsyncIterable<Uint8Array> {
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #ended = false;
  #gone = false;
  #failure: { cause: unknown } | undefined;
  #wake: () => void = () => {};

  async write(chunk: Uint8Array): Promise<void> {
    if (this.#gone) return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.length;
    this.#wake();
    while (!this.#gone && this.#waitingBytes >= waitingBytesMax) await this.#change();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The reader gets `cause` instead of the end of the stream, so that it does not take the part that it has for the whole. */
  fail(cause: unknown): void {
    this.#failure = { cause };
    this.#wake();
  }

  /** The reader has gone and will not read any more. */
  gone(): void {
    this.#gone = true;
    this.#waiting = [];
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.cause;
        const chunk = this.#waiting.shift();
        if (chunk !== undefined) {
          this.#waitingBytes -= chunk.length;
          this.#wake();
          yield chunk;
        } else if (this.#ended || this.#gone) return;
        else await this.#change();
      }
    } finally {
      this.gone();
    }
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#wake;
      this.#wake = () => {
        this.#wake = () => {};
        others();
        resolve();
      };
    });
  }
}
