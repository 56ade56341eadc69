import { isAppError } from '@lateen/errors';
import { type BackoffLimits, type Clock, type Random, Retries, type RetryPolicy, retry } from '@lateen/kernel';
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
  /** For work that decides itself whether it can begin again. */
  tries(signal: AbortSignal | undefined): Pick<Retries, 'afterFailure'>;
  succeeded(): void;
}

export function retryCalls(deps: StoreRetryDeps): RetryCalls {
  const { limits = storeRetryDefault, budget = retryBudget() } = deps;
  const policy: RetryPolicy = {
    ...limits,
    mayRetry: (error) => isAppError(error) && error.retry === 'soon' && budget.take(),
  };
  return {
    tries: (signal) => new Retries(deps, policy, signal),
    succeeded: () => budget.giveBack(),
    run: async (signal, work) => {
      const result = await retry(deps, policy, work, signal);
      budget.giveBack();
      return result;
    },
  };
}
