import type { OpenEngine } from '@lateen/datapath';
import { isAppError } from '@lateen/errors';
import { type BackoffLimits, type RetryPolicy, retry } from '@lateen/kernel';
import type { DataPathPorts } from './data-path-ports.ts';
import type { DataPathResource, EngineWish } from './data-path-subject.ts';

const backoff: BackoffLimits = { firstMs: 1_000, maxMs: 15_000, factor: 2, jitter: 0.2 };

/** An API server that is away or overloaded says nothing about the data. */
const passing = ['KUBE_UNAVAILABLE', 'KUBE_SERVER_ERROR', 'KUBE_TOO_MANY_REQUESTS'];

/**
 * Opens the engine, and waits for an API server that cannot be reached for up to `timeoutMs`; what has been prepared by
 * then is worth the wait.
 * @throws what opening throws; the signal's reason
 */
export async function openPatiently(
  ports: DataPathPorts,
  { wish, resource }: { wish: EngineWish; resource: DataPathResource },
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<OpenEngine> {
  const { log } = ports;
  const policy: RetryPolicy = {
    backoff,
    budgetMs: timeoutMs,
    mayRetry: (error) => passing.some((code) => isAppError(error, code)),
    onRetry: ({ error, attempt }) =>
      log.warn({ err: error, attempt }, 'the repository cannot be opened without the API server; it is tried again'),
  };
  return await retry(ports, policy, () => ports.openEngine(wish, resource, signal), signal);
}
