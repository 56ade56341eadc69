/**
 * Writes a state that many change at the same time: one write at a time takes the state as it is then, and all who change it while one is
 * under way share the next. So there are as many writes as the other side can take, and never more than one waits.
 */
export class SharedWrites {
  readonly #write: () => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  /** Not begun yet. */
  #next: Promise<void> | undefined;

  /** @param write takes the state when it is called */
  constructor(write: () => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the state of the call, or a later one, is written. @throws what that write throws */
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
