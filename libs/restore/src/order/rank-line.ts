import type { WaitingLine } from '@lateen/kernel';
import { MinHeap } from './min-heap.ts';

interface Waiting {
  readonly key: string;
  readonly rank: number;
  readonly order: number;
}

/** A queue with the lowest rank first; within a rank, first come, first served. */
export function lowestRankFirst(): WaitingLine<number> {
  const ranks = new Map<string, number>();
  const heap = new MinHeap<Waiting>((one, other) =>
    one.rank === other.rank ? one.order < other.order : one.rank < other.rank,
  );
  let added = 0;
  return {
    get size() {
      return ranks.size;
    },
    add: (key, rank) => {
      if (ranks.get(key) === rank) return;
      ranks.set(key, rank);
      heap.push({ key, rank, order: added++ });
    },
    // Its remaining heap entry is skipped when its turn comes.
    remove: (key) => ranks.delete(key),
    next: () => {
      for (let first = heap.pop(); first !== undefined; first = heap.pop()) {
        if (ranks.get(first.key) !== first.rank) continue;
        ranks.delete(first.key);
        return first.key;
      }
      return undefined;
    },
  };
}
