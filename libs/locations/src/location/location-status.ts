import type { BackupStorageLocationStatus } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { apiTime } from '@lateen/kube';

/** Query values of a signed URL of Azure; the only secret an error text of an object store could carry. */
const signatureInQuery = /([?&](?:sig|se|sp|sv|sr|st|spr|skoid)=)[^&\s"]+/gi;

/** The status a validation leaves: Available with no message, or Unavailable naming the cause. */
export function validatedStatus(
  name: string,
  error: unknown,
  nowMs: number,
): Required<Pick<BackupStorageLocationStatus, 'phase' | 'message' | 'lastValidationTime'>> {
  const lastValidationTime = apiTime(nowMs);
  if (error === undefined) return { phase: 'Available', message: '', lastValidationTime };
  const why = describeError(error).replace(signatureInQuery, '$1***');
  return {
    phase: 'Unavailable',
    message: `BackupStorageLocation "${name}" is unavailable: ${why}`,
    lastValidationTime,
  };
}
