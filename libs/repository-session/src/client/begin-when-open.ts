import { isAppError } from '@lateen/errors';
import { type BackoffLimits, type RetryPorts, retry } from '@lateen/kernel';
import { notOpenCode, tooSlow } from './session-errors.ts';
import { sessionLimits } from './session-limits.ts';

/** Most repositories are open in a fraction of this. */
const checkAfterMs = 1_500;
/** The wait grows by 80 ms a second: a server that opens its repository in 150 ms is asked 10 ms later. */
const pace: BackoffLimits = { firstMs: 10, maxMs: 250, factor: 1.08, jitter: 0 };

export interface OpeningRepository<T> extends RetryPorts {
  /** Begins a session. @throws AppError {@link notOpenCode} as long as the server has not opened the repository */
  begin(signal: AbortSignal): Promise<T>;
  /** Opens the repository with another run of the program. @throws why it cannot be opened */
  check(signal: AbortSignal): Promise<void>;
  /** Of the repository, for messages. */
  where: string;
}

/**
 * Begins a session as soon as the server has opened its repository. A server that cannot open it tries again for ever and does not say
 * why, so when it takes longer than usual another run of the program is asked for the reason.
 * @throws what `begin` and `check` throw; REPOSITORY_SERVER_SLOW after two minutes; the signal's reason on abort
 */
export async function beginWhenOpen<T>(opening: OpeningRepository<T>, signal: AbortSignal): Promise<T> {
  const { clock, begin, check, where } = opening;
  const refused = new AbortController();
  const begun = new AbortController();
  const either = AbortSignal.any([signal, refused.signal]);
  const checking = AbortSignal.any([signal, begun.signal]);
  const checked = clock
    .sleep(checkAfterMs, checking)
    .then(() => check(checking))
    .catch((error: unknown) => {
      if (!checking.aborted) refused.abort(error);
    });
  const policy = {
    backoff: pace,
    budgetMs: sessionLimits.repositoryMs,
    mayRetry: (error: unknown) => isAppError(error, notOpenCode),
  };
  try {
    return await retry(opening, policy, () => begin(either), either);
  } catch (error) {
    throw isAppError(error, notOpenCode) ? tooSlow(where, error) : error;
  } finally {
    begun.abort();
    await checked;
  }
}
