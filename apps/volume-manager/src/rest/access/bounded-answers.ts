import type { Clock } from '@lateen/kernel';

interface Kept<T> {
  readonly answer: Promise<T>;
  untilMs: number;
}

/** A cache of answers by question, each kept for a short time, at most `entriesMax`: the oldest is dropped for a new one. */
export class BoundedAnswers<T> {
  readonly #entries = new Map<string, Kept<T>>();
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #entriesMax: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, entriesMax: number) {
    this.#clock = clock;
    this.#entriesMax = entriesMax;
  }

  /**
   * The cached answer, or the result of `ask`; concurrent callers with the same question share one call. `keepMs` says how long an answer is cached.
   * An error is not cached: the next caller asks again.
   */
  async get(question: string, ask: () => Promise<T>, keepMs: (answer: T) => number): Promise<T> {
    const known = this.#entries.get(question);
    if (known !== undefined && known.untilMs > this.#clock.monotonicMs()) return known.answer;
    const kept: Kept<T> = { answer: ask(), untilMs: Number.POSITIVE_INFINITY };
    this.#entries.delete(question);
    this.#entries.set(question, kept);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#entriesMax && oldest !== undefined) this.#entries.delete(oldest);
    try {
      const answer = await kept.answer;
      kept.untilMs = this.#clock.monotonicMs() + keepMs(answer);
      return answer;
    } catch (error) {
      if (this.#entries.get(question) === kept) this.#entries.delete(question);
      throw error;
    }
  }
}
