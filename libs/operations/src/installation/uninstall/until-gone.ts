import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';

export interface Waiting {
  signal: AbortSignal;
  /** The time-out for one object. */
  timeoutMs: number;
  /** Called with what it waits for, and why, as far as it is known. */
  onWaiting: (text: string) => void;
}

const lookAgainMs = 500;

/**
 * Polls until `remains` returns nothing; otherwise it returns a text about what is left.
 * @throws AppError REMOVAL_STUCK with the last text after the time-out; the signal's reason on abort
 */
export async function untilGone(
  remains: () => Promise<string | undefined>,
  { clock, signal, timeoutMs, onWaiting }: Waiting & { clock: Clock },
): Promise<void> {
  const giveUpMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    const left = await remains();
    if (left === undefined) return;
    if (clock.monotonicMs() >= giveUpMs)
      throw new AppError('REMOVAL_STUCK', `${left} is still there after ${durationText(timeoutMs)}`, {
        nextStep: 'Correct the cause and run the same command again; it continues with the rest.',
      });
    onWaiting(left);
    await clock.sleep(lookAgainMs, signal);
  }
}
