import type { KubeObject, ResourceType } from '@lateen/api-types';
import { AppError, describeError } from '@lateen/errors';
import { type Clock, type Logger, type Random, type RetryPolicy, retry } from '@lateen/kernel';
import { isNotFound, type KubeApi } from '@lateen/kube';

const retries = { firstMs: 500, maxMs: 10_000, factor: 2, jitter: 0.2 };

export interface WaitForApiOptions {
  kube: KubeApi;
  /** One of our kinds, listed in `namespace`: the API server must have it and let us read it. */
  type: ResourceType<KubeObject>;
  namespace: string;
  /** Reported when the API server does not have the kind. */
  definitionsAt: string;
  clock: Clock;
  random: Random;
  log: Logger;
  /** Called with the reason after each failed attempt. */
  onMissing(reason: string): void;
}

/** Resolves when the API server answers, has our kinds and lets us read them. @throws the signal's reason */
export async function waitForApi(options: WaitForApiOptions, signal: AbortSignal): Promise<void> {
  const { kube, type, namespace, definitionsAt, log } = options;
  const policy: RetryPolicy = {
    backoff: retries,
    mayRetry: () => true,
    onRetry: ({ error }) => {
      const reason = describeError(isNotFound(error) ? notInstalled(type, definitionsAt, error) : error);
      options.onMissing(reason);
      log.warn({ reason }, 'the API server cannot be used yet');
    },
  };
  await retry(options, policy, () => kube.list(type, { namespace, limit: 1, signal }), signal);
}

function notInstalled(type: ResourceType<KubeObject>, definitionsAt: string, cause: unknown): AppError {
  return new AppError('CRDS_MISSING', `the API server does not know ${type.kind}s of ${type.group}`, {
    cause,
    nextStep: `Apply the custom resource definitions in ${definitionsAt}.`,
  });
}
