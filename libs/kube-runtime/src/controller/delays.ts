import type { Clock } from '@lateen/kernel';

/** Keys that wait for a time; if a key has two times, the earlier counts. */
export class Delays {
  readonly #clock: Clock;
  readonly #onDue: (key: string) => void;
  readonly #delays = new Map<string, { dueMs: number; stop: AbortController }>();

  constructor(clock: Clock, onDue: (key: string) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  get size(): number {
    return this.#delays.size;
  }

  has(key: string): boolean {
    return this.#delays.has(key);
  }

  set(key: string, ms: number): void {
    const dueMs = this.#clock.monotonicMs() + ms;
    const known = this.#delays.get(key);
    if (known !== undefined && known.dueMs <= dueMs) return;
    this.drop(key);
    const stop = new AbortController();
    this.#delays.set(key, { dueMs, stop });
    this.#clock.sleep(ms, stop.signal).then(
      () => {
        this.#delays.delete(key);
        this.#onDue(key);
      },
      () => {},
    );
  }

  drop(key: string): void {
    this.#delays.get(key)?.stop.abort();
    this.#delays.delete(key);
  }

  clear(): void {
    for (const { stop } of this.#delays.values()) stop.abort();
    this.#delays.clear();
  }
}
