/** A heap that returns the least element first; adding and taking cost O(log n). */
export class MinHeap<T> {
  readonly #isBefore: (one: T, other: T) => boolean;
  readonly #heap: T[] = [];

  constructor(isBefore: (one: T, other: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#heap.length;
  }

  get first(): T | undefined {
    return this.#heap[0];
  }

  push(entry: T): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const above = heap[up] as T;
      if (!this.#isBefore(entry, above)) break;
      heap[at] = above;
      at = up;
    }
    heap[at] = entry;
  }

  pop(): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let down = 2 * at + 1;
      if (down >= heap.length) break;
      if (down + 1 < heap.length && this.#isBefore(heap[down + 1] as T, heap[down] as T)) down++;
      const below = heap[down] as T;
      if (!this.#isBefore(below, last)) break;
      heap[at] = below;
      at = down;
    }
    heap[at] = last;
    return first;
  }
}
