/**
 * Writes a state that many callers change concurrently: one write at a time takes the state as it is then, and all callers that change it during a
 * write share the next one. So writes are as frequent as the other side allows, and at most one waits.
 */
export class SharedWrites {
  readonly #write: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  /** The write that has not begun yet. */
  #next: Promise<void> | undefined;

  /** @param write reads the state when it is called */
  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the state at the time of the call, or a later one, is written. @throws the error of that write */
  sync(): Promise<void> {
    if (this.#next !== undefined) return this.#next;
    const next = this.#last.then(async () => {
      this.#next = undefined;
      await this.#write();
    });
    this.#next = next;
    this.#last = next.catch(() => {});
    return next;
  }
}
