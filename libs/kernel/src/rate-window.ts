/** Long enough to be steady, short enough to show that something has become slow. */
const windowMs = 10_000;
const samplesMax = 200;
/** A sample that comes earlier replaces the last one, so that the samples cover the whole window. */
const betweenSamplesMs = windowMs / samplesMax;
/** With a shorter span, a remaining time would be a mere guess. */
const spanMsMin = 1_000;

/** The recent growth rate of a number: over the last ten seconds of samples. */
export class RateWindow {
  readonly #samples: { atMs: number; value: number }[] = [];

  /** @param atMs monotonic */
  see(atMs: number, value: number): void {
    const last = this.#samples.at(-1);
    // The value has restarted.
    if (last !== undefined && value < last.value) this.#samples.length = 0;
    const before = this.#samples.at(-2);
    if (before !== undefined && atMs - before.atMs < betweenSamplesMs) this.#samples.pop();
    this.#samples.push({ atMs, value });
    while (this.#isOld(atMs)) this.#samples.shift();
  }

  /** Per second; undefined while there are too few samples. */
  perSecond(): number | undefined {
    const [first] = this.#samples;
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.atMs - first.atMs < spanMsMin) return undefined;
    const rate = ((last.value - first.value) * 1_000) / (last.atMs - first.atMs);
    return rate > 0 ? rate : undefined;
  }

  /** The second sample covers the whole window, so the first one is not needed. */
  #isOld(atMs: number): boolean {
    const [, second] = this.#samples;
    return second !== undefined && atMs - second.atMs >= windowMs;
  }
}
