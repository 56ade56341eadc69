import { orAborted } from './abort.ts';

/** A queue of keys that wait for a place, in the order in which they get one. */
export interface WaitingLine<Ask> {
  readonly size: number;
  /** A key that waits already keeps its position, with the new ask. */
  add(key: string, ask: Ask): void;
  remove(key: string): void;
  /** Removes and returns the next key; undefined when none waits. */
  next(): string | undefined;
}

/** A queue in order of arrival. */
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
 * A bounded number of places, each taken and released under a key. A released place goes at once to a waiting key; a later caller cannot take it.
 * Memory: the keys that hold a place or wait for one.
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
   * True when the key has a place. Otherwise the key waits; when its turn comes, it has the place and `wake` is called once. A key that asks again
   * while it waits keeps its position, with the new ask.
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

  /** Waits for a place. @throws the signal's reason; then the key has no place, and will not get one */
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

  /**
   * Changes the number of places. Keys that hold a place keep it; when they are more than the new number, the next key gets one only after enough
   * were released.
   */
  resize(max: number): void {
    this.#max = max;
    this.#handOn();
  }

  /** Takes a place even if none is free: for work that began without asking. */
  force(key: string): void {
    this.#forget(key);
    this.#taken.add(key);
  }

  /** Releases the key's place, or removes it from the queue. Safe to repeat. */
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
