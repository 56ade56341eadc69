import { AppError } from '@lateen/errors';
import { retry } from '@lateen/kernel';
import { isConflict } from '@lateen/kube';
import type { RestPorts } from '../serving/rest-call.ts';

/** As many attempts as Longhorn; the first delays are shorter than its 0.5 s, because objects are read again from the API server. */
const conflicts = { attemptsMax: 10, backoff: { firstMs: 50, maxMs: 700, factor: 2, jitter: 0.2 } } as const;

/**
 * Reads, decides and writes, and retries on a conflict with another writer. Each attempt has to read what it writes.
 * @throws REST_CONFLICTS after the last attempt; any other error of `act`; the signal's reason on abort
 */
export async function withRetries<T>(
  { clock, random }: Pick<RestPorts, 'clock' | 'random'>,
  signal: AbortSignal,
  act: () => Promise<T>,
): Promise<T> {
  try {
    return await retry({ clock, random }, { ...conflicts, mayRetry: isConflict }, act, signal);
  } catch (cause) {
    if (!isConflict(cause)) throw cause;
    throw new AppError('REST_CONFLICTS', 'cannot finish API request due to too many error retries', {
      cause,
      retry: 'soon',
    });
  }
}
