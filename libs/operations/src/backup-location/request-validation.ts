import { annotations, type BackupStorageLocation } from '@lateen/api-types';
import type { Clock, Random } from '@lateen/kernel';
import { apiTime } from '@lateen/kube';

/** Annotations that ask the controller for a validation now, to be written together with what is to be validated. */
export const validationRequest = ({ clock, random }: { clock: Clock; random: Random }): Record<string, string> => ({
  [annotations.validationRequested]: `${apiTime(clock.now())} ${random.suffix(5)}`,
});

/**
 * Whether the verdict in the location's status is about the location as it is, asked for by {@link validationRequest}. One of an
 * older controller, which answers no requests, counts when it is newer than that of `before`.
 */
export function isAnswered(seen: BackupStorageLocation, before: BackupStorageLocation['status']): boolean {
  const { phase, lastValidationTime } = seen.status ?? {};
  if (phase === undefined) return false;
  const marks = seen.metadata.annotations ?? {};
  if (marks[annotations.validatedSpec] === undefined)
    return phase !== before?.phase || lastValidationTime !== before.lastValidationTime;
  return marks[annotations.validationAnswered] === marks[annotations.validationRequested];
}
