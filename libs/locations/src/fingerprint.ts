import { createHash } from 'node:crypto';
import { annotations, type BackupStorageLocation, secretType } from '@lateen/api-types';
import { isNotFound, type KubeApi } from '@lateen/kube';
import type { SecretKey } from '@lateen/repository';

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

/** Changes when the Secret does; `none` when there is none. @throws KUBE_… */
export async function secretVersion(
  kube: Pick<KubeApi, 'get'>,
  { namespace, name }: Pick<SecretKey, 'namespace' | 'name'>,
  signal: AbortSignal,
): Promise<string> {
  try {
    return versionOf(await kube.get(secretType, { namespace, name }, { signal }));
  } catch (error) {
    if (isNotFound(error)) return noSecret;
    throw error;
  }
}

/** The version of a Secret that does not exist. */
export const noSecret = 'none';

export const versionOf = ({ metadata }: { metadata: { uid?: string; resourceVersion?: string } }): string =>
  `${metadata.uid} ${metadata.resourceVersion}`;

const hash = (facts: readonly unknown[]): string => createHash('sha256').update(JSON.stringify(facts)).digest('hex');

const sorted = (config: Readonly<Record<string, string>> | undefined): [string, string][] =>
  Object.entries(config ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
