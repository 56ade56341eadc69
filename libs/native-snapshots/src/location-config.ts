import { cloudCredentials, type VolumeSnapshotLocation } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { KubeApi } from '@lateen/kube';
import { readSecretKey } from '@lateen/storage-location';
import type { CredentialFiles } from './credential-files.ts';

/** The key of a plugin's config that names the file with credentials. */
const credentialsFileKey = 'credentialsFile';

export interface LocationConfig {
  /** For `VolumeSnapshotter.init`. */
  config: Record<string, string>;
  /** Takes the file away. Never rejects; safe to repeat. */
  remove(): Promise<void>;
}

/**
 * The configuration for the plugin of a location: `spec.config`, and the file with its credentials. These come from the Secret that the location names,
 * else from the Secret of the installation, if it has one; without either the plugin has the identity of the pod. A file name in
 * `spec.config` is left out: otherwise anyone who may write locations could use keys of others (docs/adr/0021).
 * @throws SECRET_NOT_FOUND, SECRET_KEY_NOT_FOUND, KUBE_…
 */
export async function locationConfig(
  { kube, credentialFiles }: { kube: KubeApi; credentialFiles: CredentialFiles },
  location: VolumeSnapshotLocation,
  signal: AbortSignal,
): Promise<LocationConfig> {
  const { [credentialsFileKey]: _, ...config } = location.spec.config ?? {};
  const text = await readCredentials(kube, location, signal);
  if (text === undefined) return { config, remove: async () => {} };
  const { path, remove } = await credentialFiles.put(text);
  return { config: { ...config, [credentialsFileKey]: path }, remove };
}

async function readCredentials(
  kube: KubeApi,
  { metadata, spec }: VolumeSnapshotLocation,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { namespace = '', name } = metadata;
  const own = spec.credential?.name ? { name: spec.credential.name, key: spec.credential.key } : undefined;
  const where = { namespace, ...(own ?? cloudCredentials) };
  const purpose = `the credentials of VolumeSnapshotLocation ${name}`;
  return await readSecretKey(kube, where, purpose, { signal }).catch((error: unknown) => {
    if (own === undefined && isAppError(error, 'SECRET_NOT_FOUND')) return undefined;
    throw error;
  });
}
