import type { WaitingLine } from '@lateen/kernel';

/** Lowest rank first; of the same rank whoever came first. Adding and taking one costs the logarithm of their number. */
export function lowestRankFirst(): WaitingLine<number> {
  const ranks = new Map<string, number>();
  const heap: { key: string; rank: number; order: number }[] = [];
  let added = 0;
  return {
    get size() {
      return ranks.size;
    },
    add: (key, rank) => {
      if (ranks.get(key) === rank) return;
      ranks.set(key, rank);
      push(heap, { key, rank, order: added++ });
    },
    // What is left of it in the heap is passed over when its turn comes.
    remove: (key) => ranks.delete(key),
    next: () => {
      for (let first = pop(heap); first !== undefined; first = pop(heap)) {
        if (ranks.get(first.key) !== first.rank) continue;
        ranks.delete(first.key);
        return first.key;
      }
      return undefined;
    },
  };
}

interface Entry {
  rank: number;
  order: number;
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.rank < other.rank || (one.rank === other.rank && one.order < other.order);

function push<T extends Entry>(heap: T[], entry: T): void {
  let at = heap.length;
  heap.push(entry);
  while (at > 0) {
    const up = (at - 1) >> 1;
    const above = heap[up] as T;
    if (!isBefore(entry, above)) break;
    heap[at] = above;
    at = up;
  }
  heap[at] = entry;
}

function pop<T extends Entry>(heap: T[]): T | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let down = 2 * at + 1;
    if (down >= heap.length) break;
    if (down + 1 < heap.length && isBefore(heap[down + 1] as T, heap[down] as T)) down++;
    const below = heap[down] as T;
    if (!isBefore(below, last)) break;
    heap[at] = below;
    at = down;
  }
  heap[at] = last;
  return first;
}
