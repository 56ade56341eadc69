import type { Clock } from '@lateen/kernel';

/** How long something was so. */
export class Stopwatch {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #sumMs = 0;
  #sinceMs: number | undefined;

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  get totalMs(): number {
    return this.#sumMs + (this.#sinceMs === undefined ? 0 : this.#clock.monotonicMs() - this.#sinceMs);
  }

  /** From now on it is so, or is not. */
  set(isSo: boolean): void {
    if (isSo === (this.#sinceMs !== undefined)) return;
    this.#sumMs = this.totalMs;
    this.#sinceMs = isSo ? this.#clock.monotonicMs() : undefined;
  }
}
