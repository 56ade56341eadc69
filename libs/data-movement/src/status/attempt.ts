import { annotations, attemptOf } from '@lateen/api-types';
import type { Movement } from '../kinds/movement-kind.ts';

/** Epoch ms before which the present attempt is not exposed; undefined when it may be at once. */
export function nextAttemptMs(object: Movement): number | undefined {
  const ms = Date.parse(object.metadata.annotations?.[annotations.nextAttemptAt] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Epoch ms from which the present attempt is prepared; NaN when nobody can read when it was accepted. */
export const preparingSinceMs = (object: Movement): number =>
  Math.max(Date.parse(object.status?.acceptedTimestamp ?? ''), nextAttemptMs(object) ?? 0);

/** What a message ends with, so that one can see that it was not for want of trying. Empty in the first attempt. */
export function attemptText(object: Movement, attempts: number): string {
  const attempt = attemptOf(object);
  return attempt === 1 ? '' : ` (attempt ${attempt} of ${attempts})`;
}

/** Not the object, or not the attempt, that `known` was: a name is given again, and a lost attempt is followed by another. */
export const isAnother = (latest: Movement, known: Movement): boolean =>
  latest.metadata.uid !== known.metadata.uid || attemptOf(latest) !== attemptOf(known);
