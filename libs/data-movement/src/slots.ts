/** Who goes first when a slot is free: somebody waits for a restore, nobody for a backup. */
export type Rank = 'restore' | 'backup';

/** Uploads and downloads share places and may have the same names. */
export const placeKey = (kind: string, key: string): string => `${kind}/${key}`;

/** Who asks for a slot. */
export interface Place {
  rank: Rank;
  /** The more, the longer it will take: of those that have waited about as long, the largest goes first. */
  size: number;
}

interface Waiting {
  size: number;
  wake: () => void;
  /** How many that came later went before it. */
  overtaken: number;
}

/** The largest of so many that have waited longest goes first, and nobody is overtaken more often than that. */
export const lookAhead = 8;

/** So many restores in a row go before a backup that waits; then it is the backup's turn, so that it is never starved. */
export const restoresBeforeBackup = 4;

/**
 * A number of places that movements take and give back: data paths on this node, or exposures in the cluster
 * (data-movement.md section 8). A place that is given back is handed at once to who waits; nobody who comes later can take it.
 * Restores go before backups. Of each, the largest of the first few goes first: what takes longest must not begin last, when
 * nothing else is left to do beside it.
 */
export class Slots {
  readonly #max: number;
  readonly #taken = new Set<string>();
  readonly #waiting: Readonly<Record<Rank, Map<string, Waiting>>> = { restore: new Map(), backup: new Map() };
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
  tryTake(key: string, { rank, size }: Place, wake: () => void): boolean {
    if (this.#taken.has(key)) return true;
    if (this.#taken.size < this.#max) {
      this.force(key);
      return true;
    }
    const overtaken = this.#waiting[rank].get(key)?.overtaken ?? 0;
    this.#waiting[rank].set(key, { size, wake, overtaken });
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
      const [nextKey, { wake }] = next;
      this.force(nextKey);
      wake();
    }
  }

  #next(): [string, Waiting] | undefined {
    const { restore, backup } = this.#waiting;
    const turnOfBackup = backup.size > 0 && this.#restoresInARow >= restoresBeforeBackup;
    const line = restore.size === 0 || turnOfBackup ? backup : restore;
    this.#restoresInARow = line === restore && backup.size > 0 ? this.#restoresInARow + 1 : 0;
    return largestOfFirst(line);
  }

  #forget(key: string): void {
    this.#waiting.restore.delete(key);
    this.#waiting.backup.delete(key);
  }
}

function largestOfFirst(line: ReadonlyMap<string, Waiting>): [string, Waiting] | undefined {
  const first: [string, Waiting][] = [];
  for (const each of line) if (first.push(each) >= lookAhead) break;
  const [oldest] = first;
  if (oldest === undefined || oldest[1].overtaken >= lookAhead) return oldest;
  const largest = first.reduce((best, each) => (each[1].size > best[1].size ? each : best));
  for (const each of first) {
    if (each === largest) break;
    each[1].overtaken += 1;
  }
  return largest;
}
