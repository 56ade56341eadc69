import { orAborted } from './abort.ts';

/** Those that wait for a place, in the order in which they get one. */
export interface WaitingLine<Ask> {
  readonly size: number;
  /** Whoever waits already keeps its turn, with the new ask. */
  add(key: string, ask: Ask): void;
  remove(key: string): void;
  /** Whose turn it is, which removes it; undefined when nobody waits. */
  next(): string | undefined;
}

/** First come, first served. */
export function firstComeFirstServed(): WaitingLine<unknown> {
  const keys = new Set<string>();
  return {
    get size() {
      return keys.size;
    },
    add: (key) => keys.add(key),
    remove: (key) => keys.delete(key),
    next: () => {
      const [first] = keys;
      if (first !== undefined) keys.delete(first);
      return first;
    },
  };
}

/**
 * A bounded number of places, each taken and given back under a key. A place that is given back is handed at once to one
 * of those that wait; nobody who comes later can take it. Memory: the keys that hold a place or wait for one.
 */
export class Places<Ask = void> {
  #max: number;
  readonly #line: WaitingLine<Ask>;
  readonly #taken = new Set<string>();
  readonly #wakes = new Map<string, () => void>();

  constructor(max: number, line: WaitingLine<Ask> = firstComeFirstServed()) {
    this.#max = max;
    this.#line = line;
  }

  get max(): number {
    return this.#max;
  }

  get taken(): number {
    return this.#taken.size;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /**
   * True when the key has a place. Otherwise it waits; when it is its turn it has the place, and `wake` is called once to
   * say so. Whoever asks again while it waits keeps its turn, with the new ask.
   */
  tryTake(key: string, ask: Ask, wake: () => void): boolean {
    if (this.#taken.has(key)) return true;
    if (this.#taken.size < this.#max) {
      this.force(key);
      return true;
    }
    this.#line.add(key, ask);
    this.#wakes.set(key, wake);
    return false;
  }

  /** Waits for a place. @throws the signal's reason; then it has none, and will get none */
  async take(key: string, ask: Ask, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const turn = Promise.withResolvers<void>();
    if (this.tryTake(key, ask, turn.resolve)) return;
    try {
      await orAborted(turn.promise, signal);
    } catch (error) {
      this.release(key);
      throw error;
    }
  }

  /** As many places from now on. Whoever holds one keeps it; when there are more of them, the next gets one when enough are back. */
  resize(max: number): void {
    this.#max = max;
    this.#handOn();
  }

  /** Takes a place whether or not one is free: for what has begun without asking. */
  force(key: string): void {
    this.#forget(key);
    this.#taken.add(key);
  }

  /** Gives back the key's place, or its turn. Safe to repeat. */
  release(key: string): void {
    this.#forget(key);
    this.#taken.delete(key);
    this.#handOn();
  }

  #handOn(): void {
    while (this.#taken.size < this.#max) {
      const next = this.#line.next();
      if (next === undefined) return;
      const wake = this.#wakes.get(next);
      this.force(next);
      wake?.();
    }
  }

  #forget(key: string): void {
    this.#line.remove(key);
    this.#wakes.delete(key);
  }
}
