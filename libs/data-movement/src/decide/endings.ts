import type { Seen } from '../gather/seen.ts';
import { attemptText } from '../status/attempt.ts';
import { mayTryAgain } from '../status/next-attempt.ts';
import { isNote } from '../status/status-notes.ts';
import type { Step } from './step.ts';

export function canceled(seen: Seen): Step {
  return { do: 'end', phase: 'Canceled', message: cancelMessage(seen) };
}

/**
 * A requester may have written a reason (data-movement.md section 3). The cause of the wait is kept in the message: when a
 * movement is canceled because its time was over, as a backup does with volumes of pods, that cause is what the user needs.
 */
function cancelMessage({ object, words }: Seen): string {
  const said = object.status?.message ?? '';
  if (said === '') return `the ${words} was canceled`;
  return isNote(said) ? `the ${words} was canceled; until then ${said}` : said;
}

export const failed = (message: string): Extract<Step, { do: 'end' }> => ({ do: 'end', phase: 'Failed', message });

/** Times the preparation out; the cause that can be found is appended to the message (`diagnose`). */
export function timedOut({ shortWords }: Seen): Step {
  return { do: 'end', phase: 'Failed', message: `timeout on preparing ${shortWords}`, diagnose: true };
}

/** The hosting pod is lost: begins another attempt, as long as attempts are left. */
export function lost(seen: Seen, cause: string): Step {
  if (mayTryAgain(seen.object, seen.limits)) return { do: 'try-again', cause };
  return { do: 'end', phase: 'Failed', message: `${cause}${attemptText(seen.object, seen.limits.attempts)}` };
}

/** The hosting pod can never succeed; `isLost` means that a new pod may. */
export function podFailed(seen: Seen, failure: string, isLost: boolean): Step {
  if (isLost) return lost(seen, failure);
  return { do: 'end', phase: 'Failed', message: `${failure}${attemptText(seen.object, seen.limits.attempts)}` };
}
