/** Memory that was lent; `free` gives it back, once. */
export interface Lent {
  bytes: Uint8Array<SharedArrayBuffer>;
  free(): void;
}

interface Free {
  at: number;
  length: number;
}

interface Waiter {
  length: number;
  give(lent: Lent): void;
}

/**
 * A bounded amount of memory that worker threads can read, lent in pieces of any size, in order of request. A caller that
 * requests more than the bound gets it from elsewhere, when no other piece is lent; so never more is lent than the bound, or than
 * one piece that is larger.
 */
export class SharedMemory {
  readonly bytesMax: number;
  #whole: SharedArrayBuffer | undefined;
  /** By place; no two touch. */
  #free: Free[];
  #lentBytes = 0;
  readonly #waiting: Waiter[] = [];

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
    this.#free = [{ at: 0, length: bytesMax }];
  }

  get lentBytes(): number {
    return this.#lentBytes;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** @throws the signal's reason; then nothing is lent */
  async take(length: number, signal: AbortSignal): Promise<Lent> {
    signal.throwIfAborted();
    const at = this.#waiting.length === 0 ? this.#tryTake(length) : undefined;
    if (at !== undefined) return at;
    const turn = Promise.withResolvers<Lent>();
    const waiter: Waiter = { length, give: turn.resolve };
    const onAbort = () => {
      const index = this.#waiting.indexOf(waiter);
      if (index === -1) return;
      this.#waiting.splice(index, 1);
      turn.reject(signal.reason);
      // It may have been in the way of smaller ones.
      this.#serve();
    };
    this.#waiting.push(waiter);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await turn.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #serve(): void {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const lent = this.#tryTake(next.length);
      if (lent === undefined) return;
      this.#waiting.shift();
      next.give(lent);
    }
  }

  #tryTake(length: number): Lent | undefined {
    if (length > this.bytesMax) return this.#lentBytes === 0 ? this.#tooLarge(length) : undefined;
    // First fit keeps what is used at the beginning, and the rest untouched.
    const index = this.#lentBytes > this.bytesMax ? -1 : this.#free.findIndex((free) => free.length >= length);
    const free = this.#free[index];
    if (free === undefined) return undefined;
    this.#whole ??= new SharedArrayBuffer(this.bytesMax);
    const { at } = free;
    free.at += length;
    free.length -= length;
    if (free.length === 0) this.#free.splice(index, 1);
    const bytes = new Uint8Array(this.#whole, at, length);
    // As long as the bytes are, and not as the caller has said by then: see `later` in plan-ranges.ts.
    return this.#lend(bytes, () => this.#putBack({ at, length: bytes.length }));
  }

  #tooLarge(length: number): Lent {
    return this.#lend(new Uint8Array(new SharedArrayBuffer(length)), () => {});
  }

  #lend(bytes: Uint8Array<SharedArrayBuffer>, putBack: () => void): Lent {
    this.#lentBytes += bytes.length;
    let isLent = true;
    return {
      bytes,
      free: () => {
        if (!isLent) return;
        isLent = false;
        this.#lentBytes -= bytes.length;
        putBack();
        this.#serve();
      },
    };
  }

  #putBack(piece: Free): void {
    const all = [...this.#free, piece].sort((a, b) => a.at - b.at);
    this.#free = [];
    for (const { at, length } of all) {
      const before = this.#free.at(-1);
      if (before !== undefined && before.at + before.length === at) before.length += length;
      else this.#free.push({ at, length });
    }
  }
}
