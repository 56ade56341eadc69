/** An area of the volume that is being written, or waits for its turn. `end` is the first byte after it. */
export interface LockedArea {
  readonly start: number;
  readonly end: number;
}

class Entry implements LockedArea {
  readonly start: number;
  readonly end: number;
  /** How many earlier overlapping changes are not released. */
  blockers = 0;
  /** The changes that wait for this one, in order of arrival. */
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
 * Two overlapping changes never run at once; they run in the order in which they came. All other changes run in parallel. The caller limits the
 * number of entries (256 requests), and scanning so few is faster than a tree.
 */
export class OverlapLocks {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  /** Calls `granted`, now or later, when no earlier change overlaps. The caller calls {@link release} when the change has ended. */
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

  /** Calls `then` when all running changes of this area have ended; changes that still wait do not count. */
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
