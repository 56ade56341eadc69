import { repositoryCredentials, type Secret, secretType } from '@lateen/api-types';
import type { Random } from '@lateen/kernel';
import { isAlreadyExists, type KubeApi, readObject } from '@lateen/kube';

/** The Secret with the repository password, and whether this call has created it. */
export interface EnsuredPassword {
  secret: Secret;
  made: boolean;
}

/**
 * Creates the Secret with the repository password when an installation has none. The value is random: with a fixed one, as Velero
 * uses, anybody who can read the bucket could decrypt everything. An existing Secret is never changed, so a cluster that has to
 * read older repositories gets their password before the controller starts, or afterwards. Safe to repeat and to run
 * concurrently. @throws KUBE_…
 */
export async function ensureRepositoryPassword(
  { kube, random }: { kube: KubeApi; random: Random },
  namespace: string,
  signal: AbortSignal,
): Promise<EnsuredPassword> {
  const { name, key } = repositoryCredentials;
  const found = await readObject(kube, secretType, { namespace, name }, signal);
  if (found !== undefined) return { secret: found, made: false };
  // Two version 4 UUIDs: 244 random bits of the system's generator.
  const password = `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: { component: 'velero' } },
    type: 'Opaque',
    data: { [key]: Buffer.from(password).toString('base64') },
  };
  try {
    return { secret: await kube.create(secretType, secret, { namespace, signal }), made: true };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return { secret: await kube.get(secretType, { namespace, name }, { signal }), made: false };
  }
}
