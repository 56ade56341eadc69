import type { Clock } from '@lateen/kernel';

interface Kept<T> {
  readonly answer: Promise<T>;
  untilMs: number;
}

/** Answers by question, each for a short time, and never more than `entriesMax`: the oldest goes for a new one. */
export class BoundedAnswers<T> {
  readonly #entries = new Map<string, Kept<T>>();
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #entriesMax: number;

  constructor(clock: Pick<Clock, 'monotonicMs'>, entriesMax: number) {
    this.#clock = clock;
    this.#entriesMax = entriesMax;
  }

  /**
   * The answer that is kept, or what `ask` gives; who asks the same meanwhile waits for the same answer. `keepMs` says how long an answer counts. An error is not
   * kept: the next one asks again.
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
