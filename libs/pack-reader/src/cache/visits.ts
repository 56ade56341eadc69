/** After this number of reads a pack is fetched as a whole. */
export const wholeFrom = { reads: 3, windows: 3 };

interface Windows {
  last: object;
  count: number;
  /** How far the windows before the last one have read, and all of them. */
  endBefore: number;
  end: number;
}

/** Which packs are read so often that one request for all of one is worth it. */
export class Visits {
  readonly #reads = new Map<string, number>();
  readonly #givenUp = new Set<string>();
  readonly #windows = new Map<string, Windows>();

  /** A single slice of it is wanted. @returns whether the whole of it is worth fetching */
  read(packId: string): boolean {
    if (this.#givenUp.has(packId)) return false;
    const reads = (this.#reads.get(packId) ?? 0) + 1;
    this.#reads.set(packId, reads);
    return reads >= wholeFrom.reads;
  }

  /**
   * Slices of it are wanted in a call of `readAll`. Reading on where the last call ended is the usual way, and needs nothing again;
   * going back in it time and again means that the volume's files lie scattered.
   */
  window(packId: string, call: object, offset: number, end: number): boolean {
    const seen = this.#windows.get(packId) ?? { last: call, count: 1, endBefore: 0, end: 0 };
    const isNew = seen.last !== call;
    const now = {
      last: call,
      count: seen.count + (isNew ? 1 : 0),
      endBefore: isNew ? seen.end : seen.endBefore,
      end: Math.max(seen.end, end),
    };
    this.#windows.set(packId, now);
    return !this.#givenUp.has(packId) && now.count >= wholeFrom.windows && offset < now.endBefore;
  }

  /** It cannot be kept: fetching it whole again would be for nothing. */
  giveUp(packId: string): void {
    this.#givenUp.add(packId);
  }
}
