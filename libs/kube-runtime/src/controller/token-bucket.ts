import type { Clock } from '@lateen/kernel';

/** Limits a rate: `burst` at once, then `perSecond`. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  readonly #clock: Clock;
  #tokens: number;
  #atMs: number;

  constructor(burst: number, perSecond: number, clock: Clock) {
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#clock = clock;
    this.#tokens = burst;
    this.#atMs = clock.monotonicMs();
  }

  /** Takes the next token and returns in how many ms it is available. */
  takeMs(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#atMs) / 1000) * this.#perSecond);
    this.#atMs = nowMs;
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / this.#perSecond) * 1000;
  }
}
