/** An area of the volume that is being written, or waits for its turn. `end` is the first byte after it. */
export interface LockedArea {
  readonly start: number;
  readonly end: number;
}

class Entry implements LockedArea {
  readonly start: number;
  readonly end: number;
  /** How many earlier ones of the same area are not released. */
  blockers = 0;
  /** Who waits for this one, in order of arrival. */
  readonly blocked: Entry[] = [];
  readonly granted: () => void;
  index = -1;

  constructor(start: number, end: number, granted: () => void) {
    this.start = start;
    this.end = end;
    this.granted = granted;
  }
}

/**
 * Two changes of one area are never under way at once; they follow each other in the order in which they came. Everything
 * else goes on side by side. The number of entries is bounded by who calls (256 requests), and looking at each of so many is
 * faster than a tree.
 */
export class OverlapLocks {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** Calls `granted`, now or later, when nothing that came before overlaps. Call {@link release} when the change is over. */
  acquire(start: number, end: number, granted: () => void): LockedArea {
    const entry = new Entry(start, end, granted);
    for (const other of this.#entries) {
      if (other.start < end && start < other.end) this.#follow(other, entry);
    }
    entry.index = this.#entries.length;
    this.#entries.push(entry);
    if (entry.blockers === 0) granted();
    return entry;
  }

  release(area: LockedArea): void {
    const entry = area as Entry;
    const last = this.#entries.pop();
    if (last !== undefined && last !== entry) {
      this.#entries[entry.index] = last;
      last.index = entry.index;
    }
    for (const blocked of entry.blocked) {
      blocked.blockers -= 1;
      if (blocked.blockers === 0) blocked.granted();
    }
  }

  /** Calls `then` when all changes of this area that are under way are over; those that wait for their turn do not count. */
  afterUnderWay(start: number, end: number, then: () => void): void {
    let waiter: Entry | undefined;
    for (const other of this.#entries) {
      if (other.start >= end || start >= other.end || other.blockers > 0) continue;
      waiter ??= new Entry(start, end, then);
      this.#follow(other, waiter);
    }
    if (waiter === undefined) then();
  }

  #follow(first: Entry, second: Entry): void {
    first.blocked.push(second);
    second.blockers += 1;
  }
}
