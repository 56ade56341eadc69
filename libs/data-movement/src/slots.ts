/** Who goes first when a slot is free: somebody waits for a restore, nobody for a backup. */
export type Rank = 'restore' | 'backup';

/** So many restores in a row go before a backup that waits; then it is the backup's turn, so that it is never starved. */
export const restoresBeforeBackup = 4;

/**
 * A number of places that movements take and give back: data paths on this node, or exposures in the cluster
 * (data-movement.md section 8). A place that is given back is handed at once to who waits, restores before backups and
 * each in the order of coming; nobody who comes later can take it.
 */
export class Slots {
  readonly #max: number;
  readonly #taken = new Set<string>();
  readonly #waiting: Readonly<Record<Rank, Map<string, () => void>>> = { restore: new Map(), backup: new Map() };
  #restoresInARow = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get max(): number {
    return this.#max;
  }

  get taken(): number {
    return this.#taken.size;
  }

  get waiting(): number {
    return this.#waiting.restore.size + this.#waiting.backup.size;
  }

  /**
   * True when the key has a slot. Otherwise it waits in line; when it is its turn it has the slot, and `wake` is called
   * once to say so. Asking again while waiting keeps the place in the line.
   */
  tryTake(key: string, rank: Rank, wake: () => void): boolean {
    if (this.#taken.has(key)) return true;
    if (this.#taken.size < this.#max) {
      this.force(key);
      return true;
    }
    this.#waiting[rank].set(key, wake);
    return false;
  }

  /** Takes a slot whether or not one is free: for what was running before this process started. */
  force(key: string): void {
    this.#forget(key);
    this.#taken.add(key);
  }

  /** Gives the key's slot back, or its place in the line. Safe to repeat. */
  release(key: string): void {
    this.#forget(key);
    this.#taken.delete(key);
    while (this.#taken.size < this.#max) {
      const next = this.#next();
      if (next === undefined) return;
      const [nextKey, wake] = next;
      this.force(nextKey);
      wake();
    }
  }

  #next(): [string, () => void] | undefined {
    const { restore, backup } = this.#waiting;
    const [firstRestore] = restore;
    const [firstBackup] = backup;
    const turnOfBackup = firstBackup !== undefined && this.#restoresInARow >= restoresBeforeBackup;
    const next = turnOfBackup ? firstBackup : (firstRestore ?? firstBackup);
    const overtakes = next === firstRestore && firstBackup !== undefined;
    this.#restoresInARow = overtakes ? this.#restoresInARow + 1 : 0;
    return next;
  }

  #forget(key: string): void {
    this.#waiting.restore.delete(key);
    this.#waiting.backup.delete(key);
  }
}
