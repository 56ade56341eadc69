import { isAppError, type RetryFate } from '@lateen/errors';
import { type BackoffLimits, backoffMs, type Clock, type Random } from '@lateen/kernel';

/** How long a failed effect is skipped, by the retry fate of its error. */
const pauses: Readonly<Record<RetryFate, BackoffLimits>> = {
  soon: { firstMs: 200, maxMs: 5_000, factor: 2, jitter: 0.2 },
  later: { firstMs: 5_000, maxMs: 300_000, factor: 2, jitter: 0.2 },
  never: { firstMs: 60_000, maxMs: 600_000, factor: 2, jitter: 0.2 },
};

interface Pause {
  readonly effect: string;
  readonly failures: number;
  readonly untilMs: number;
}

/**
 * Effects that have failed, one for each key. A host reports what it tried, and that queues the key: without a pause the same call would be made
 * again at once, and fail again, without end. A different effect, such as one of another start of an engine, is not delayed. Memory: the keys whose
 * last effect failed.
 */
export class EffectPauses {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #paused = new Map<string, Pause>();

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  failed(key: string, effect: unknown, error: unknown): void {
    const text = textOf(effect);
    const before = this.#paused.get(key);
    const failures = before?.effect === text ? before.failures + 1 : 1;
    const limits = pauses[isAppError(error) ? error.retry : 'later'];
    const untilMs = this.#clock.monotonicMs() + backoffMs(failures, limits, this.#random);
    this.#paused.set(key, { effect: text, failures, untilMs });
  }

  /** Ms for which the effect is still skipped; undefined when it may be tried. */
  leftMs(key: string, effect: unknown): number | undefined {
    const pause = this.#paused.get(key);
    if (pause === undefined || pause.effect !== textOf(effect)) return undefined;
    const leftMs = pause.untilMs - this.#clock.monotonicMs();
    return leftMs > 0 ? leftMs : undefined;
  }

  /** All effects of a pass have been carried out, or another manager has the key now. */
  forget(key: string): void {
    this.#paused.delete(key);
  }
}

const textOf = (effect: unknown): string =>
  JSON.stringify(effect, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)) ?? '';
