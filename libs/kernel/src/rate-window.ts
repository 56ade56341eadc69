/** Long enough to be steady, short enough to show that something has become slow. */
const windowMs = 10_000;
const samplesMax = 200;
/** What comes more often takes the place of the last sample, so that they reach over the whole window. */
const betweenSamplesMs = windowMs / samplesMax;
/** Of less, the time left would be a guess that nobody should read. */
const spanMsMin = 1_000;

/** How fast a growing number grows of late: over the last ten seconds of what was seen. */
export class RateWindow {
  readonly #samples: { atMs: number; value: number }[] = [];

  /** @param atMs of a monotonic clock */
  see(atMs: number, value: number): void {
    const last = this.#samples.at(-1);
    // It has begun anew.
    if (last !== undefined && value < last.value) this.#samples.length = 0;
    const before = this.#samples.at(-2);
    if (before !== undefined && atMs - before.atMs < betweenSamplesMs) this.#samples.pop();
    this.#samples.push({ atMs, value });
    while (this.#isOld(atMs)) this.#samples.shift();
  }

  /** Per second; undefined while nothing can be said. */
  perSecond(): number | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.atMs - first.atMs < spanMsMin) return undefined;
    const rate = ((last.value - first.value) * 1_000) / (last.atMs - first.atMs);
    return rate > 0 ? rate : undefined;
  }

  /** The second sample is still a whole window back, so the first one is not needed. */
  #isOld(atMs: number): boolean {
    const [, second] = this.#samples;
    return second !== undefined && atMs - second.atMs >= windowMs;
  }
}
