import { createHash } from 'node:crypto';
import { annotations, type BackupStorageLocation, repositoryCredentials, secretType } from '@lateen/api-types';
import { isNotFound, type KubeApi } from '@lateen/kube';
import { type SecretKey, secretsOf } from '@lateen/repository';

/**
 * How often the Secrets of what does not work are looked at, so that a corrected one counts soon. Secrets are read by
 * name, never listed or watched: whoever may list them may read all of them.
 */
export const secretLookMs = 5_000;

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

/** Changes when anything does that a validation depends on: place, access, the Secrets' content. */
export async function locationFingerprint(
  kube: KubeApi,
  location: BackupStorageLocation,
  signal: AbortSignal,
): Promise<string> {
  const versions = await Promise.all(secretsOf(location).map((secret) => secretVersion(kube, secret, signal)));
  return hash([specFingerprint(location), versions]);
}

/** Changes when the Secret with the repository password does. */
export function passwordVersion(kube: KubeApi, namespace: string, signal: AbortSignal): Promise<string> {
  return secretVersion(kube, { namespace, ...repositoryCredentials }, signal);
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
