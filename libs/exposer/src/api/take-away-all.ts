import { AppError, describeError, isAppError } from '@lateen/errors';
import { keyText } from '@lateen/kube';
import { explainRefusal } from '../diagnose/explain-refusal.ts';
import type { ExposeOwner } from '../owner.ts';

/** One thing to delete: its name for the message, and the call that deletes it. */
export interface Leftover {
  what: string;
  takeAway(): Promise<unknown>;
}

/**
 * Deletes everything, one after the other; a failure does not stop the rest. A failure is never final: its cause is outside of
 * this process, and the owner's finalizer stays until the deletion succeeds. On abort: stops before the next one.
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
