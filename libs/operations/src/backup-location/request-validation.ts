import { annotations, type BackupStorageLocation } from '@lateen/api-types';
import type { Clock, Random } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';

/** Annotations that request a validation now; written together with the change that is to be validated. */
export const validationRequest = ({ clock, random }: { clock: Clock; random: Random }): Record<string, string> => ({
  [annotations.validationRequested]: `${apiTime(clock.now())} ${random.suffix(5)}`,
});

/**
 * Whether the verdict in the location's status is the answer to {@link validationRequest} for the location's current state. The verdict of
 * an older controller, which does not answer requests, counts when it is newer than that of `before`.
 */
export function isAnswered(seen: BackupStorageLocation, before: BackupStorageLocation['status']): boolean {
  const { phase, lastValidationTime } = seen.status ?? {};
  if (phase === undefined) return false;
  const marks = seen.metadata.annotations ?? {};
  if (marks[annotations.validatedSpec] === undefined)
    return phase !== before?.phase || lastValidationTime !== before.lastValidationTime;
  return marks[annotations.validationAnswered] === marks[annotations.validationRequested];
}
