import type { BackupStorageLocation } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { providerIfKnown } from '../provider-of.ts';
import { readSecretBytes, type SecretKey, secretKeyText } from '../read-secret-key.ts';
import { parseCustomerKeySecret, s3Options } from './s3-options.ts';

/** Amazon S3 user guide, "Using server-side encryption with customer-provided keys": AES256. */
const keyBytes = 32;

/** The Secret of config.customerKeyEncryptionSecret; undefined when none is named, or not in the form of one. */
export function customerKeySecretOf(location: BackupStorageLocation): SecretKey | undefined {
  const { provider, config = {} } = location.spec;
  if (providerIfKnown(provider, config) !== 's3') return undefined;
  const named = parseCustomerKeySecret(config.customerKeyEncryptionSecret ?? '');
  return named && { namespace: location.metadata.namespace ?? '', ...named };
}

/**
 * The SSE-C key that a location names, and no more of the Secret; undefined when it names none. Whatever else is wrong with
 * the location's encryption is said first. Velero takes exactly 32 bytes from a Secret, though it cuts a file.
 * @throws LOCATION_INVALID, CREDENTIALS_INVALID, SECRET_NOT_FOUND, SECRET_KEY_NOT_FOUND, KUBE_…
 */
export async function readCustomerKey(
  kube: KubeApi,
  location: BackupStorageLocation,
  options: { signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const secret = customerKeySecretOf(location);
  if (secret === undefined) return undefined;
  s3Options(location.spec.config ?? {});
  const purpose = `the SSE-C key of BackupStorageLocation ${location.metadata.name}`;
  const key = await readSecretBytes(kube, secret, purpose, options);
  if (key.length === keyBytes) return key;
  throw new AppError(
    'CREDENTIALS_INVALID',
    `${secretKeyText(secret)} has ${key.length} bytes; an SSE-C key has ${keyBytes}`,
    {
      retry: 'later',
      nextStep: 'Put the key itself there, not as hex or base64 and without a line break at its end.',
    },
  );
}
