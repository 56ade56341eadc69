import { AppError, describeError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';

export interface WaitOptions {
  /** What is waited for, for the error: `the API server answers`. */
  what: string;
  timeoutMs: number;
  clock: Clock;
  signal?: AbortSignal | undefined;
  /** Called between tries; returns a reason why waiting longer is useless (the process has ended), which is thrown. */
  hopeless?: () => Error | undefined;
}

/** Other processes cannot notify us; polling ten times a second costs little. */
const intervalMs = 100;

/**
 * Polls until the answer is neither `undefined` nor `false`; an error counts as "not yet" and becomes the cause.
 * @throws WAIT_TIMEOUT, or what `hopeless` returns, or the signal's reason
 */
export async function waitUntil<T>(ask: () => Promise<T | undefined | false>, options: WaitOptions): Promise<T> {
  const { clock, signal } = options;
  const giveUpMs = clock.monotonicMs() + options.timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    let cause: unknown;
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== false) return answer;
    } catch (error) {
      cause = error;
    }
    const hopeless = options.hopeless?.();
    if (hopeless) throw hopeless;
    if (clock.monotonicMs() >= giveUpMs)
      throw new AppError(
        'WAIT_TIMEOUT',
        `waited ${durationText(options.timeoutMs)} until ${options.what}, without success${
          cause === undefined ? '' : `: ${describeError(cause)}`
        }`,
        { retry: 'later', cause },
      );
    await clock.sleep(intervalMs, signal);
  }
}
