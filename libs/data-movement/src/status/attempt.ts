import { annotations, attemptOf } from '@lateen/api-types';
import type { Movement } from '../kinds/movement-kind.ts';

/** Epoch ms before which the present attempt is not exposed; undefined when it may start at once. */
export function nextAttemptMs(object: Movement): number | undefined {
  const ms = Date.parse(object.metadata.annotations?.[annotations.nextAttemptAt] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Epoch ms at which the preparation of the present attempt started; NaN without a readable acceptedTimestamp. */
export const preparingSinceMs = (object: Movement): number =>
  Math.max(Date.parse(object.status?.acceptedTimestamp ?? ''), nextAttemptMs(object) ?? 0);

/** The end of a message that states the number of attempts. Empty in the first attempt. */
export function attemptText(object: Movement, attempts: number): string {
  const attempt = attemptOf(object);
  return attempt === 1 ? '' : ` (attempt ${attempt} of ${attempts})`;
}

/**
 * Whether `latest` is another object or another attempt than `known`: names are used again, and a lost attempt is followed by
 * another.
 */
export const isAnother = (latest: Movement, known: Movement): boolean =>
  latest.metadata.uid !== known.metadata.uid || attemptOf(latest) !== attemptOf(known);
