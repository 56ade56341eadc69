import { type BackoffLimits, type Logger, type RetryPolicy, type RetryPorts, retry } from '@lateen/kernel';
import type { FinishingStep, Movement } from '../kinds/movement-kind.ts';
import { isTransient } from '../transient-error.ts';

export interface FinishPathPorts extends RetryPorts {
  log: Logger;
}

export interface FinishPathOptions {
  /** Aborts when this process leaves the movement as it is, for the next process or for the clean-up. */
  signal: AbortSignal;
  /** Aborts when the movement is canceled. */
  canceled: AbortSignal;
  backoff: BackoffLimits;
}

export type Finished = { kind: 'done' } | { kind: 'canceled' } | { kind: 'failed'; error: unknown };

/**
 * Runs the step that follows a successful data path, or undoes it when the movement is canceled or the step fails for good. When
 * the step was complete before that, it counts as done. While the API server is away, this waits: the data is complete and worth
 * the wait.
 * @throws the signal's reason: it is not known then whether the step is done or undone
 */
export async function finishPath<T extends Movement>(
  ports: FinishPathPorts,
  step: FinishingStep<T>,
  object: T,
  { signal, canceled, backoff }: FinishPathOptions,
): Promise<Finished> {
  const policy: RetryPolicy = {
    backoff,
    mayRetry: isTransient,
    onRetry: ({ error, attempt }) =>
      ports.log.warn({ err: error, attempt }, 'what follows the data path is tried again'),
  };
  let failure: { error: unknown } | undefined;
  try {
    const either = AbortSignal.any([signal, canceled]);
    either.throwIfAborted();
    await retry(ports, policy, () => step.run(object, { signal, canceled }), either);
    return { kind: 'done' };
  } catch (error) {
    signal.throwIfAborted();
    if (!canceled.aborted) failure = { error };
  }
  try {
    const undone = await retry(ports, policy, () => step.undo(object, signal), signal);
    if (!undone) {
      if (failure !== undefined)
        ports.log.warn({ err: failure.error }, 'the steps after the data path are done anyway');
      return { kind: 'done' };
    }
    return failure === undefined ? { kind: 'canceled' } : { kind: 'failed', ...failure };
  } catch (error) {
    signal.throwIfAborted();
    // When the API server refuses this undo, it also refuses the clean-up, which keeps trying.
    return { kind: 'failed', ...(failure ?? { error }) };
  }
}
