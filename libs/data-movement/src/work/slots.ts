/**
 * The data paths that may run on this node at the same time, shared by all kinds (data-movement.md section 8). Who
 * finds none free is woken when one is; nobody polls.
 */
export class Slots {
  readonly #max: number;
  readonly #held = new Set<string>();
  /** In the order of asking; a Map keeps it. */
  readonly #waiting = new Map<string, () => void>();

  constructor(max: number) {
    if (!Number.isInteger(max) || max < 1) throw new RangeError(`slots per node: ${max} is not a whole number above zero`);
    this.#max = max;
  }

  get held(): number {
    return this.#held.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a slot for `id`, or remembers to call `wake` when one is free. Asking again is fine. */
  tryAcquire(id: string, wake: () => void): boolean {
    if (!this.#held.has(id) && this.#held.size >= this.#max) {
      this.#waiting.set(id, wake);
      return false;
    }
    this.#waiting.delete(id);
    this.#held.add(id);
    return true;
  }

  /** Takes a slot beyond the limit: for a data path that was running before we were started. */
  forceAcquire(id: string): void {
    this.#waiting.delete(id);
    this.#held.add(id);
  }

  /** Gives back what `id` holds and forgets that it waits. All that wait are woken: the first to ask gets the slot. */
  release(id: string): void {
    this.#waiting.delete(id);
    if (!this.#held.delete(id)) return;
    for (const [waiter, wake] of [...this.#waiting]) {
      this.#waiting.delete(waiter);
      wake();
    }
  }
}
