/** How many data paths of this node run; shared by uploads and downloads (data-movement.md section 8). */
export class Slots {
  readonly #max: number;
  readonly #taken = new Set<string>();
  readonly #waiting = new Map<string, () => void>();

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#taken.size;
  }

  /** True when the key has a slot. Otherwise `wake` is called once when one is free; asking again replaces it. */
  tryTake(key: string, wake: () => void): boolean {
    if (this.#taken.has(key)) return true;
    if (this.#taken.size >= this.#max) {
      this.#waiting.set(key, wake);
      return false;
    }
    this.force(key);
    return true;
  }

  /** Takes a slot whether or not one is free: for data paths that were running before this process started. */
  force(key: string): void {
    this.#waiting.delete(key);
    this.#taken.add(key);
  }

  /**
   * Frees the key's slot, if it has one, and wakes the one that has waited longest. Also when it had none: it may have
   * been woken and not come (canceled meanwhile), and then the next in line must hear of the free slot.
   */
  release(key: string): void {
    this.#waiting.delete(key);
    this.#taken.delete(key);
    const next = this.#waiting.entries().next().value;
    if (next === undefined || this.#taken.size >= this.#max) return;
    const [nextKey, wake] = next;
    this.#waiting.delete(nextKey);
    wake();
  }
}
