import { AppError, describeError, isAppError } from '@lateen/errors';
import { keyText } from '@lateen/kube';
import { explainRefusal } from '../diagnose/explain-refusal.ts';
import type { ExposeOwner } from '../owner.ts';

/** One thing that goes: what it is, for the message, and how. */
export interface Leftover {
  what: string;
  takeAway(): Promise<unknown>;
}

/**
 * Takes everything away, one after the other; what fails does not keep the rest. Never gives up for good: what refuses lies
 * outside of us, and the owner is held until it lets go. On abort: stops before the next one.
 * @throws CLEAN_UP_INCOMPLETE naming each that failed and why; the signal's reason
 */
export async function takeAwayAll(
  owner: ExposeOwner,
  leftovers: readonly Leftover[],
  signal: AbortSignal,
): Promise<void> {
  const failures: { what: string; error: unknown }[] = [];
  for (const { what, takeAway } of leftovers) {
    signal.throwIfAborted();
    try {
      await takeAway();
    } catch (error) {
      signal.throwIfAborted();
      failures.push({ what, error });
    }
  }
  if (failures.length === 0) return;
  const errors = failures.map(({ error }) => error);
  const whys = failures.map(({ what, error }) => `${what}: ${describeError(explainRefusal(error))}`).join('; ');
  throw new AppError(
    'CLEAN_UP_INCOMPLETE',
    `not everything of ${owner.kind} ${keyText({ namespace: owner.namespace, name: owner.name })} could be deleted: ${whys}`,
    {
      retry: errors.every((error) => isAppError(error) && error.retry === 'soon') ? 'soon' : 'later',
      cause: errors[0],
    },
  );
}
