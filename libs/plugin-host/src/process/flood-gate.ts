import type { Clock } from '@lateen/kernel';

const windowMs = 1_000;

/** Admits a number of lines per second, and counts the others. */
export class FloodGate {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #tell: (dropped: number) => void;
  #windowStartMs = Number.NEGATIVE_INFINITY;
  #passed = 0;
  #dropped = 0;

  /** @param tell called with the number of dropped lines: before the next line that is admitted, and by `end` */
  constructor(clock: Clock, perSecondMax: number, tell: (dropped: number) => void) {
    this.#clock = clock;
    this.#max = perSecondMax;
    this.#tell = tell;
  }

  /** Whether one more line is admitted. */
  pass(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#windowStartMs >= windowMs) {
      this.#windowStartMs = nowMs;
      this.#passed = 0;
      this.end();
    }
    if (this.#passed >= this.#max) {
      this.#dropped += 1;
      return false;
    }
    this.#passed += 1;
    return true;
  }

  end(): void {
    if (this.#dropped > 0) this.#tell(this.#dropped);
    this.#dropped = 0;
  }
}
