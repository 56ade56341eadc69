import { createHash } from 'node:crypto';
import { annotations, type BackupStorageLocation } from '@lateen/api-types';

/**
 * Changes when a location points somewhere else: what a repository is opened by (api.md section 7). Its keys are not in
 * it: rotating them must not disturb repositories that are in use.
 */
export function placeFingerprint(location: BackupStorageLocation): string {
  const { bucket, prefix, caCert, caCertRef } = location.spec.objectStorage;
  const { provider, config } = location.spec;
  return hash([provider, bucket, prefix, caCert, caCertRef, sorted(config)]);
}

/**
 * Changes when the object does in anything that a validation depends on: place, which Secret, access, rates; or when it is
 * another one. A repository stays open when only rates change: they are not in {@link placeFingerprint}.
 */
export function specFingerprint(location: BackupStorageLocation): string {
  const { credential, accessMode } = location.spec;
  const { uid, annotations: given } = location.metadata;
  const rates = [given?.[annotations.uploadBytesPerSecond], given?.[annotations.downloadBytesPerSecond]];
  return hash([uid, placeFingerprint(location), credential, accessMode, rates]);
}

/** What a validation is of: the same, and who has asked for it. Recorded with its verdict, in `annotations.validatedSpec`. */
export function validationSubject(location: BackupStorageLocation): string {
  return hash([specFingerprint(location), location.metadata.annotations?.[annotations.validationRequested]]);
}

const hash = (facts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(facts)).digest('hex');

const sorted = (config: Readonly<Record<string, string>> | undefined): [string, string][] =>
  Object.entries(config ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
