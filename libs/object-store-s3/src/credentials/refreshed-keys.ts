import { type Clock, orAborted } from '@lateen/kernel';
import type { S3CredentialSource, S3Keys } from './credential-source.ts';

export interface ExpiringKeys {
  keys: S3Keys;
  /** Epoch ms; absent when they do not expire. */
  expiresMs?: number;
}

/** As long before their end keys are replaced, so that none expires on its way to the store. */
export const refreshBeforeMs = 5 * 60_000;
/** After a failed refresh the old keys are used for so long before it is tried again. */
const retryAfterMs = 30_000;

/**
 * Keeps keys until shortly before they expire. Calls that come while they are fetched share the one request. When a
 * refresh fails and the old keys are still good, they are used on.
 */
export function refreshedKeys(fetchKeys: () => Promise<ExpiringKeys>, clock: Clock): S3CredentialSource {
  let held: ExpiringKeys | undefined;
  let notBeforeMs = 0;
  let fetching: Promise<S3Keys> | undefined;
  const leftMs = () => (held === undefined ? 0 : (held.expiresMs ?? Number.POSITIVE_INFINITY) - clock.now());
  const refresh = async (): Promise<S3Keys> => {
    try {
      held = await fetchKeys();
      return held.keys;
    } catch (error) {
      if (held === undefined || leftMs() <= 0) throw error;
      notBeforeMs = clock.now() + retryAfterMs;
      return held.keys;
    } finally {
      fetching = undefined;
    }
  };
  return {
    keys: async (signal) => {
      signal?.throwIfAborted();
      if (held !== undefined && leftMs() > 0 && (leftMs() > refreshBeforeMs || clock.now() < notBeforeMs)) {
        return held.keys;
      }
      fetching ??= refresh();
      // The request continues for the other callers.
      return await orAborted(fetching, signal);
    },
    forget: () => {
      held = undefined;
    },
  };
}
