/** Jobs for maintenance at the same time in the whole installation, unless told otherwise. */
export const maintenanceJobsMax = 4;

/**
 * The few places for maintenance Jobs, by repository. Whoever finds none waits in the order in which maintenance was due, and is
 * woken by the end of another's. Lost on a restart: it is filled again from the Jobs there are.
 */
export class MaintenancePlaces {
  readonly #placesMax: number;
  readonly #wake: (key: string) => void;
  readonly #held = new Set<string>();
  readonly #waiting = new Map<string, number>();

  constructor(placesMax: number, wake: (key: string) => void) {
    this.#placesMax = placesMax;
    this.#wake = wake;
  }

  get held(): number {
    return this.#held.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** A Job exists, whether there was a place for it or not. */
  hold(key: string): void {
    this.#waiting.delete(key);
    this.#held.add(key);
  }

  /** True when there was a place. Else the key waits, and is woken. */
  take(key: string, dueMs: number): boolean {
    if (this.#held.has(key)) return true;
    if (this.#held.size < this.#placesMax && this.#isNext(dueMs)) {
      this.hold(key);
      return true;
    }
    this.#waiting.set(key, dueMs);
    if (this.#held.size < this.#placesMax) this.#wakeNext();
    return false;
  }

  /** The key has no Job and wants none. */
  leave(key: string): void {
    const waited = this.#waiting.delete(key);
    if (this.#held.delete(key) || waited) this.#wakeNext();
  }

  /** Nobody who waits was due earlier. */
  #isNext(dueMs: number): boolean {
    for (const other of this.#waiting.values()) if (other < dueMs) return false;
    return true;
  }

  #wakeNext(): void {
    if (this.#held.size >= this.#placesMax) return;
    let next: [string, number] | undefined;
    for (const entry of this.#waiting) if (next === undefined || entry[1] < next[1]) next = entry;
    if (next !== undefined) this.#wake(next[0]);
  }
}
