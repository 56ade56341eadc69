import { isAppError } from '@lateen/errors';
import { type BackoffLimits, type Clock, type Random, Retries, type RetryPolicy } from '@lateen/kernel';
import { retryAfterMsOf } from '@lateen/kube';

const backoff: BackoffLimits = { firstMs: 500, maxMs: 30_000, factor: 2, jitter: 0.5 };

/** How long an API server may be unreachable or overloaded, in addition to the retries of the client. */
const strainBudgetMs = 300_000;
/** How often a page is retried after a server error, which may be temporary (etcd elects a leader); further attempts use smaller pages. */
const serverErrorTries = 2;

/** Whether the API server rejects or does not answer us, independently of the list. A 503 depends on the list: the group's own server is down. */
const isStrained = (error: unknown): boolean =>
  isAppError(error, 'KUBE_TOO_MANY_REQUESTS') ||
  (isAppError(error, 'KUBE_UNAVAILABLE') &&
    error.details.httpStatus === undefined &&
    error.details.reason === undefined);

const strainPolicy: RetryPolicy = {
  backoff,
  budgetMs: strainBudgetMs,
  mayRetry: isStrained,
  askedMs: retryAfterMsOf,
};

const serverErrorPolicy: RetryPolicy = {
  backoff,
  attemptsMax: serverErrorTries,
  mayRetry: (error) => isAppError(error, 'KUBE_SERVER_ERROR'),
};

/** Decides how to continue after a page has failed: wait and ask again, or ask for a smaller page. */
export class PageTries {
  readonly #strain: Retries;
  readonly #serverErrors: Retries;

  constructor(ports: { clock: Clock; random: Random }, signal: AbortSignal) {
    this.#strain = new Retries(ports, strainPolicy, signal);
    this.#serverErrors = new Retries(ports, serverErrorPolicy, signal);
  }

  /** Waits, then answers `again`; or `less` at once. @throws `error` when neither can help */
  async after(error: unknown): Promise<'again' | 'less'> {
    if (isStrained(error)) {
      await this.#strain.afterFailure(error);
      return 'again';
    }
    if (isAppError(error, 'KUBE_SERVER_ERROR')) {
      try {
        await this.#serverErrors.afterFailure(error);
        return 'again';
      } catch (last) {
        if (last !== error) throw last;
        return 'less';
      }
    }
    if (isAppError(error, 'KUBE_BAD_ANSWER')) return 'less';
    throw error;
  }
}
