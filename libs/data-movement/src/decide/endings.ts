import type { Seen } from '../gather/seen.ts';
import { attemptText } from '../status/attempt.ts';
import { mayTryAgain } from '../status/next-attempt.ts';
import { isNote } from '../status/status-notes.ts';
import type { Step } from './step.ts';

export function canceled(seen: Seen): Step {
  return { do: 'end', phase: 'Canceled', message: cancelMessage(seen) };
}

/**
 * Who asked may have said why (data-movement.md section 3). What it waited for is kept: where it was canceled because its time was over, as
 * a backup does with volumes of pods, that is the cause.
 */
function cancelMessage({ object, words }: Seen): string {
  const said = object.status?.message ?? '';
  if (said === '') return `the ${words} was canceled`;
  return isNote(said) ? `the ${words} was canceled; until then ${said}` : said;
}

export const failed = (message: string): Extract<Step, { do: 'end' }> => ({ do: 'end', phase: 'Failed', message });

/** With the cause that can be found on the way appended (`diagnose`). */
export function timedOut({ shortWords }: Seen): Step {
  return { do: 'end', phase: 'Failed', message: `timeout on preparing ${shortWords}`, diagnose: true };
}

/** The hosting pod is lost: once more, as long as attempts are left. */
export function lost(seen: Seen, cause: string): Step {
  if (mayTryAgain(seen.object, seen.limits)) return { do: 'try-again', cause };
  return { do: 'end', phase: 'Failed', message: `${cause}${attemptText(seen.object, seen.limits.attempts)}` };
}

/** The hosting pod will never do its work; `isLost` says that a new one may. */
export function podFailed(seen: Seen, failure: string, isLost: boolean): Step {
  if (isLost) return lost(seen, failure);
  return { do: 'end', phase: 'Failed', message: `${failure}${attemptText(seen.object, seen.limits.attempts)}` };
}
