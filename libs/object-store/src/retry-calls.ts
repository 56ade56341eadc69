import { isAppError } from '@lateen/errors';
import { type BackoffLimits, backoffMs, type Clock, type Random } from '@lateen/kernel';
import { type RetryBudget, retryBudget } from './retry-budget.ts';

export interface StoreRetryLimits {
  /** Tries of one call, the first included. */
  attemptsMax: number;
  backoff: BackoffLimits;
}

/** About 0.2, 0.4, 0.8 and 1.6 s: rides out a restarted gateway or a throttled second, and a person still waits for it. */
export const storeRetryDefault: StoreRetryLimits = {
  attemptsMax: 5,
  backoff: { firstMs: 200, maxMs: 5_000, factor: 2, jitter: 0.5 },
};

export interface StoreRetryDeps {
  clock: Clock;
  random: Random;
  limits?: StoreRetryLimits;
  /** Shared by the calls that should share it; one of its own when absent. */
  budget?: RetryBudget;
}

/** Tries work again whose error has the fate `soon`. */
export interface RetryCalls {
  /** @throws the last error, or the reason of the signal, also while it waits */
  run<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result>;
  /**
   * Waits until the next try may be made.
   * @param attempt the try that failed, from 1
   * @throws `error` itself when there is no further try, or the reason of the signal
   */
  beforeNext(attempt: number, error: unknown, signal: AbortSignal | undefined): Promise<void>;
  succeeded(): void;
}

export function retryCalls(deps: StoreRetryDeps): RetryCalls {
  const { clock, random, limits = storeRetryDefault, budget = retryBudget() } = deps;
  const beforeNext = async (attempt: number, error: unknown, signal: AbortSignal | undefined): Promise<void> => {
    signal?.throwIfAborted();
    if (!isAppError(error) || error.retry !== 'soon' || attempt >= limits.attemptsMax || !budget.take()) throw error;
    await clock.sleep(backoffMs(attempt, limits.backoff, random), signal);
  };
  return {
    beforeNext,
    succeeded: () => budget.giveBack(),
    run: async (signal, work) => {
      for (let attempt = 1; ; attempt++) {
        try {
          const result = await work();
          budget.giveBack();
          return result;
        } catch (error) {
          await beforeNext(attempt, error, signal);
        }
      }
    },
  };
}
