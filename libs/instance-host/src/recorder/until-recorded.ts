import { isAppError } from '@lateen/errors';
import { type Clock, type Logger, orAborted, type Random, type RetryPolicy, retry } from '@lateen/kernel';

export interface RecordingPorts {
  clock: Clock;
  random: Random;
  log: Logger;
}

/** Held writes wait for it, so the first retries come soon; an API server that is down for long is called every 5 s. */
const backoff = { firstMs: 200, maxMs: 5_000, factor: 2, jitter: 0.2 };
/** A request that hangs must not delay the next one to a server that is back. */
const attemptMs = 10_000;

/**
 * Retries a write to the API without a limit.
 * @param what one sentence for the log, about a failed attempt
 * @throws `GENERATION_OVER` and `NOT_POSSIBLE_NOW` as soon as `act` does; the signal's reason on abort
 */
export async function untilRecorded(
  { clock, random, log }: RecordingPorts,
  what: string,
  act: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const policy: RetryPolicy = {
    backoff,
    mayRetry: (error) => !isAppError(error, 'GENERATION_OVER') && !isAppError(error, 'NOT_POSSIBLE_NOW'),
    onRetry: ({ error, attempt }) => log.warn({ attempt, err: error }, what),
  };
  const once = () => {
    const ends = AbortSignal.any([signal, clock.deadline(attemptMs)]);
    return orAborted(act(ends), ends);
  };
  await retry({ clock, random }, policy, once, signal);
}
