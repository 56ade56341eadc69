import type { BackupStorageLocationStatus } from '@lateen/api-types';
import { describeError } from '@lateen/errors';
import { apiTime } from '@lateen/kube';

/** What a validation writes. */
export type ValidatedStatus = Required<Pick<BackupStorageLocationStatus, 'phase' | 'message' | 'lastValidationTime'>>;

/** Query values of a signed URL of Azure; an error text of an object store could carry one. */
const signatureInQuery = /([?&](?:sig|se|sp|sv|sr|st|spr|skoid)=)[^&\s"]+/gi;

/** The address of a store may contain keys by mistake. */
const userInUrl = /(:\/\/)[^\s/"@]+@/g;

/** A store, or something that answers in its place, may say a lot. */
const messageCharsMax = 4_096;

/** The status a validation leaves: Available with no message, or Unavailable naming the cause on one line. */
export function validatedStatus(name: string, error: unknown, nowMs: number): ValidatedStatus {
  const lastValidationTime = apiTime(nowMs);
  if (error === undefined) return { phase: 'Available', message: '', lastValidationTime };
  const why = describeError(error)
    .replace(signatureInQuery, '$1***')
    .replace(userInUrl, '$1***@')
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ');
  const message = `BackupStorageLocation "${name}" is unavailable: ${why}`;
  return {
    phase: 'Unavailable',
    message: message.length <= messageCharsMax ? message : `${message.slice(0, messageCharsMax - 1)}…`,
    lastValidationTime,
  };
}
