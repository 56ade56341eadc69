import { type AppError, isAppError } from '@lateen/errors';
import { type BackoffLimits, type Clock, type Logger, type Random, type RetryPolicy, retry } from '@lateen/kernel';
import { retryAfterMsOf } from '../kube-error.ts';

export interface RetryLimits {
  /** Tries in all, the first one included. */
  attemptsMax: number;
  /** No wait may end later than this after the first try began. */
  budgetMs: number;
  backoff: BackoffLimits;
}

/** Bridges an API server's restart (5 to 15 s) and stays below the minute after which people ask what is going on. */
export const retryLimitsDefault: RetryLimits = {
  attemptsMax: 8,
  budgetMs: 30_000,
  backoff: { firstMs: 200, maxMs: 8_000, factor: 2, jitter: 0.5 },
};

export interface RetryContext {
  clock: Clock;
  random: Random;
  log: Logger;
  limits: RetryLimits;
  isRead: boolean;
  purpose: string;
  signal?: AbortSignal | undefined;
}

/**
 * Repeats `attempt` while its error says that it may (see {@link mayRepeat}) and the budget lasts, waiting as long as
 * the server asks or else with jittered backoff. Rejects with the last error; with the signal's reason on abort.
 */
export function withRetry<T>(attempt: () => Promise<T>, context: RetryContext): Promise<T> {
  const { limits, log, purpose, random, isRead, signal } = context;
  const policy: RetryPolicy = {
    ...limits,
    mayRetry: (error) => isAppError(error) && mayRepeat(error, isRead),
    askedMs: (error) => askedMs(error, random),
    onRetry: ({ error, attempt: tries, waitMs }) =>
      log.debug({ request: purpose, tries, waitMs, err: error }, 'API call is repeated'),
  };
  return retry(context, policy, attempt, signal);
}

/**
 * Whether the same request may be sent again. A write only when it certainly had no effect: it never left this
 * machine, or the API server itself turned it away (429, or 503 with Retry-After; a 503 without may be a proxy that
 * lost its upstream in the middle).
 */
export function mayRepeat(error: AppError, isRead: boolean): boolean {
  if (error.code === 'KUBE_TOO_MANY_REQUESTS') return true;
  if (error.code !== 'KUBE_UNAVAILABLE' || error.retry === 'never') return false;
  if (isRead || error.details.neverSent === true) return true;
  return error.details.httpStatus === 503 && error.details.retryAfterMs !== undefined;
}

/** The server's wait is a minimum; up to a quarter more keeps many clients from coming back in step. */
function askedMs(error: unknown, random: Random): number | undefined {
  const asked = retryAfterMsOf(error);
  return asked === undefined ? undefined : Math.round(asked + Math.min(asked / 4, 1_000) * random.next());
}
