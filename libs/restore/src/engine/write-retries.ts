import { isAppError } from '@lateen/errors';

const retried = ['KUBE_SERVER_ERROR', 'KUBE_UNAVAILABLE', 'KUBE_TOO_MANY_REQUESTS', 'KUBE_CONFLICT'];

/**
 * Retries of a write that recognizes the result of an earlier attempt. Six attempts over about half a minute: enough for an API server that
 * restarts or a webhook whose pod moves. Kept short, because the waiting item holds a place that others wait for.
 */
export const writeRetries = {
  backoff: { firstMs: 1_000, maxMs: 10_000, factor: 2, jitter: 0.2 },
  attemptsMax: 6,
  mayRetry: (error: unknown) => retried.some((code) => isAppError(error, code)),
} as const;
