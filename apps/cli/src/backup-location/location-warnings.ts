import type { BackupStorageLocation, BackupStorageLocationAccessMode, SecretKeySelector } from '@lateen/api-types';
import { describeError, isAppError, plainLine, quoted } from '@lateen/errors';
import { durationText } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import {
  annotatedRates,
  kopiaPauseSeconds,
  parseCustomerKeySecret,
  providerIfKnown,
  readSecretBytes,
} from '@lateen/storage-location';

/** Settings that are valid but most likely a mistake; pure. */
export function specWarnings({ metadata, spec }: Pick<BackupStorageLocation, 'metadata' | 'spec'>): string[] {
  const isKnown = providerIfKnown(spec.provider, spec.config ?? {}) !== undefined;
  return [
    ...(isKnown
      ? []
      : [
          `provider ${quoted(spec.provider)} is not known; known are aws, azure, gcp and velero.io/fs, and any other that is given config s3Url`,
        ]),
    ...(spec.default === true ? defaultWarnings({ name: metadata.name, ...spec }) : []),
    ...rateWarnings(metadata.annotations),
  ];
}

/** Why a location should not be the default; pure. */
export function defaultWarnings(location: {
  name: string | undefined;
  accessMode?: BackupStorageLocationAccessMode | undefined;
  status?: BackupStorageLocation['status'];
}): string[] {
  const { name, accessMode, status } = location;
  return [
    ...(accessMode === 'ReadOnly'
      ? [`"${name}" becomes the default, but is ReadOnly: backups that name no location will fail`]
      : []),
    ...(status?.phase === 'Unavailable'
      ? [`"${name}" becomes the default, but is unavailable: ${plainLine(status.message || 'no reason is given')}`]
      : []),
  ];
}

/** Unexpected effects of the rates on movements; pure. Annotations that remove a rate are null. */
export function rateWarnings(annotations: Readonly<Record<string, string | null>> | undefined): string[] {
  const given = Object.entries(annotations ?? {}).flatMap(([key, value]) => (value === null ? [] : [[key, value]]));
  const seconds = kopiaPauseSeconds(annotatedRates(Object.fromEntries(given)));
  return seconds === 0
    ? []
    : [
        `with this download limit kopia pauses for about ${durationText(seconds * 1_000)} before each file that it reads, however small; with 326Ki or more it does not`,
      ];
}

/** The Secret of config.customerKeyEncryptionSecret; the value has been validated before. */
export function customerKeySelector(config: Readonly<Record<string, unknown>> = {}): SecretKeySelector | undefined {
  const { customerKeyEncryptionSecret: named } = config;
  return typeof named === 'string' ? parseCustomerKeySecret(named) : undefined;
}

/**
 * Warnings about Secrets that a location names and that are missing, or lack the key. Secrets may be created later, and the user
 * may have no permission to read them, so nothing here is an error. The values are not read.
 */
export async function secretWarnings(
  kube: KubeApi,
  namespace: string,
  selectors: readonly (SecretKeySelector | undefined)[],
  signal: AbortSignal,
): Promise<string[]> {
  const named = selectors.filter((each) => each !== undefined);
  const all = await Promise.all(named.map((each) => secretWarning(kube, namespace, each, signal)));
  return all.filter((warning) => warning !== undefined);
}

async function secretWarning(
  kube: KubeApi,
  namespace: string,
  { name = '', key }: SecretKeySelector,
  signal: AbortSignal,
): Promise<string | undefined> {
  const secret = `Secret ${namespace}/${name}`;
  try {
    await readSecretBytes(kube, { namespace, name, key }, 'something of the location', { signal });
    return undefined;
  } catch (error) {
    if (signal.aborted) throw error;
    if (isAppError(error, 'SECRET_NOT_FOUND'))
      return `${secret} does not exist; the location is unavailable until it does`;
    if (isAppError(error, 'SECRET_KEY_NOT_FOUND'))
      return `${secret} has no key ${key}; the location is unavailable until it has`;
    return `${secret} could not be looked at: ${describeError(error)}`;
  }
}
