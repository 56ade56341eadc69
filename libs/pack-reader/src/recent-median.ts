/** The median of the last numbers, up to a given count. */
export class RecentMedian {
  readonly #size: number;
  readonly #numbers: number[] = [];
  #next = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(value: number): void {
    this.#numbers[this.#next] = value;
    this.#next = (this.#next + 1) % this.#size;
  }

  /** Undefined when there are none. */
  get value(): number | undefined {
    return this.#numbers.toSorted((a, b) => a - b)[this.#numbers.length >> 1];
  }
}
