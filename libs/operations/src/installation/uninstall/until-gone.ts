import { AppError } from '@lateen/errors';
import { type Clock, durationText } from '@lateen/kernel';

export interface Waiting {
  signal: AbortSignal;
  /** For one thing that is waited for. */
  timeoutMs: number;
  /** Told what is waited for, and why as far as it is known. */
  onWaiting: (text: string) => void;
}

const lookAgainMs = 500;

/**
 * Looks until `remains` finds nothing; it says what is left.
 * @throws AppError REMOVAL_STUCK with its last words after the time-out; the signal's reason on abort
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
