/**
 * Tag of a spliced snapshot: how many splices there were since the last full read or verification. It is in the snapshot that the next
 * splice builds on, so it cannot be lost or be of another snapshot. kopia and Velero ignore it.
 */
export const incrementsTag = 'lateen-increments-since-check';

/** The number in a snapshot's tags; 0 without the tag. What is no number counts as never checked. Pure. */
export function incrementsIn(tags: Readonly<Record<string, unknown>> | undefined): number {
  const text = tags?.[incrementsTag];
  if (text === undefined) return 0;
  const count = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(count) ? count : Number.MAX_SAFE_INTEGER - 1;
}
