import { isAppError } from '@lateen/errors';

/** How long the server asked to wait (Retry-After), in ms; undefined when it did not say. */
export function retryAfterMsOf(error: unknown): number | undefined {
  if (!isAppError(error)) return undefined;
  const { retryAfterMs } = error.details;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : undefined;
}
