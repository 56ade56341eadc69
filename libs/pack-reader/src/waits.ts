import type { Clock } from '@lateen/kernel';
import type { SharedMemory } from './shared-memory.ts';
import { Stopwatch } from './stopwatch.ts';

/** Who waited for whom while slices were read. Told of each change. */
export class Waits {
  readonly #memory: SharedMemory;
  readonly #forTaker: Stopwatch;
  readonly #forStore: Stopwatch;
  readonly #forMemory: Stopwatch;
  #runs = 0;
  #takes = 0;
  #fetchingBytes = 0;

  constructor(memory: SharedMemory, clock: Clock) {
    this.#memory = memory;
    this.#forTaker = new Stopwatch(clock);
    this.#forStore = new Stopwatch(clock);
    this.#forMemory = new Stopwatch(clock);
  }

  get forTakerMs(): number {
    return this.#forTaker.totalMs;
  }

  get forStoreMs(): number {
    return this.#forStore.totalMs;
  }

  get forMemoryMs(): number {
    return this.#forMemory.totalMs;
  }

  /** Calls that are under way. */
  runs(change: 1 | -1): void {
    this.#runs += change;
    this.look();
  }

  /** Calls of `take` that are under way. */
  takes(change: 1 | -1): void {
    this.#takes += change;
    this.look();
  }

  /** Memory that is being filled. */
  fetching(changeBytes: number): void {
    this.#fetchingBytes += changeBytes;
    this.look();
  }

  /** Memory was lent or returned, or a caller waits for it. */
  look(): void {
    const isTakers = this.#fetchingBytes * 2 < this.#memory.lentBytes;
    this.#forTaker.set(this.#memory.waiting > 0 && isTakers);
    this.#forMemory.set(this.#memory.waiting > 0 && !isTakers);
    this.#forStore.set(this.#runs > 0 && this.#takes === 0);
  }
}
