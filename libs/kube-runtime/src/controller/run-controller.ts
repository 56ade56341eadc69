import { describeError, isAppError, type RetryFate } from '@lateen/errors';
import type { BackoffLimits, Clock, Logger } from '@lateen/kernel';
import { parseKey, retryAfterMsOf } from '@lateen/kube';
import type { Outcome, Reconciler } from './outcome.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ControllerOptions {
  /** `data-upload`; in each log line. */
  name: string;
  queue: WorkQueue;
  reconciler: Reconciler;
  /** Keys worked on at the same time. Default 1. */
  workers?: number;
  clock: Clock;
  log: Logger;
  signal: AbortSignal;
  metrics?: ControllerMetrics;
}

export interface ControllerMetrics {
  /** `result` is an outcome's kind, or `failed`. */
  reconciled?(name: string, result: Outcome['kind'] | 'failed', ms: number): void;
}

/** How soon a failed key is retried, by the error's retry fate. An unknown error counts as `later`. */
export const retryBackoff: Readonly<Record<RetryFate, BackoffLimits>> = {
  soon: { firstMs: 200, maxMs: 30_000, factor: 2, jitter: 0.2 },
  later: { firstMs: 5_000, maxMs: 300_000, factor: 2, jitter: 0.2 },
  /** Only a change can help, and a change queues the key; this delay is for changes that no watch shows. */
  never: { firstMs: 600_000, maxMs: 3_600_000, factor: 2, jitter: 0.2 },
};

/**
 * Works on the queue's keys until `signal` aborts; resolves when the last reconciliation has ended. Never rejects: a key that fails is logged and
 * retried, and does not affect other keys. An error that no retry can correct (`retry: 'never'`) is logged when it first appears, not at each
 * repetition.
 */
export async function runController(options: ControllerOptions): Promise<void> {
  const log = options.log.child({ controller: options.name });
  const reported = new Map<string, string>();
  const work = async (): Promise<void> => {
    while (!options.signal.aborted) {
      const key = await options.queue.next(options.signal).catch(() => undefined);
      if (key === undefined) return;
      try {
        await reconcileKey(options, log.child({ key }), key, reported);
      } finally {
        options.queue.done(key);
      }
    }
  };
  await Promise.all(Array.from({ length: options.workers ?? 1 }, work));
  options.queue.close();
}

async function reconcileKey(
  options: ControllerOptions,
  log: Logger,
  key: string,
  reported: Map<string, string>,
): Promise<void> {
  const { clock, signal, name } = options;
  const startedMs = clock.monotonicMs();
  try {
    const outcome = await options.reconciler.reconcile(parseKey(key), signal);
    reported.delete(key);
    options.metrics?.reconciled?.(name, outcome.kind, clock.monotonicMs() - startedMs);
    applyOutcome(options.queue, log, key, outcome);
  } catch (error) {
    if (signal.aborted) return;
    options.metrics?.reconciled?.(name, 'failed', clock.monotonicMs() - startedMs);
    applyFailure(options.queue, log, key, error, reported);
  }
}

function applyOutcome(queue: WorkQueue, log: Logger, key: string, outcome: Outcome): void {
  queue.forget(key);
  switch (outcome.kind) {
    case 'settled':
      break;
    case 'again':
      log.debug({ afterMs: outcome.afterMs, reason: outcome.reason }, 'the key comes again');
      queue.addAfter(key, outcome.afterMs);
      break;
    case 'waiting':
      log.debug({ on: outcome.on }, 'the key waits');
      break;
    default:
      outcome satisfies never;
  }
}

function applyFailure(queue: WorkQueue, log: Logger, key: string, error: unknown, reported: Map<string, string>): void {
  const fate: RetryFate = isAppError(error) ? error.retry : 'later';
  const atLeastMs = retryAfterMsOf(error) ?? 0;
  const waitMs = queue.retry(key, { backoff: retryBackoff[fate], atLeastMs });
  const reason = describeError(error);
  if (fate !== 'never') {
    log.warn({ err: error, retryInMs: waitMs, failures: queue.failures(key) }, 'reconciling failed');
  } else if (reported.get(key) !== reason) {
    reported.set(key, reason);
    log.error({ err: error, reason }, 'reconciling failed and repeating it cannot help');
  }
}
