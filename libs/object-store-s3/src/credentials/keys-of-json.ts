import { AppError } from '@lateen/errors';
import { jsonObjectIn } from '@lateen/object-store';
import type { ExpiringKeys } from './refreshed-keys.ts';

/** The JSON in which the metadata services of AWS give keys. @throws CREDENTIALS_UNAVAILABLE */
export function keysOfJson(text: string, who: string): ExpiringKeys {
  // The text itself may be secret, so it is in no error.
  const fields = jsonObjectIn(text) ?? {};
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken, Expiration } = fields;
  const expiresMs = Date.parse(String(Expiration));
  if (
    typeof accessKeyId !== 'string' ||
    typeof secretAccessKey !== 'string' ||
    typeof sessionToken !== 'string' ||
    Number.isNaN(expiresMs)
  ) {
    throw new AppError('CREDENTIALS_UNAVAILABLE', `${who} answers without keys`, { retry: 'later' });
  }
  return { keys: { accessKeyId, secretAccessKey, sessionToken }, expiresMs };
}
