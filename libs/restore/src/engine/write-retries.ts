import { isAppError } from '@lateen/errors';

const retried = ['KUBE_SERVER_ERROR', 'KUBE_UNAVAILABLE', 'KUBE_TOO_MANY_REQUESTS', 'KUBE_CONFLICT'];

/**
 * Of a write that finds what an earlier try of it has made. Six tries over about half a minute: an API server that restarts, a webhook
 * whose pod moves. Kept short, since whoever waits here has a place that others wait for.
 */
export const writeRetries = {
  backoff: { firstMs: 1_000, maxMs: 10_000, factor: 2, jitter: 0.2 },
  attemptsMax: 6,
  mayRetry: (error: unknown) => retried.some((code) => isAppError(error, code)),
} as const;
