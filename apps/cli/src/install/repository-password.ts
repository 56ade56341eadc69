import { repositoryCredentials, type Secret, secretType } from '@lateen/api-types';
import type { Random } from '@lateen/kernel';
import { isAlreadyExists, type KubeApi, readObject } from '@lateen/kube';

/**
 * Makes the Secret with a random repository password where there is none; one that is there is never changed, for it opens
 * what is stored. The controller would make it too: here the person who installs learns of it.
 * @returns whether it was made
 */
export async function ensureRepositoryPassword(
  kube: KubeApi,
  namespace: string,
  random: Random,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, key } = repositoryCredentials;
  if ((await readObject(kube, secretType, { namespace, name }, signal)) !== undefined) return false;
  // Two version 4 UUIDs: 244 random bits of the system's generator.
  const password = `${random.uuid()}${random.uuid()}`.replaceAll('-', '');
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name, labels: { component: 'velero' } },
    type: 'Opaque',
    data: { [key]: Buffer.from(password).toString('base64') },
  };
  try {
    await kube.create(secretType, secret, { signal });
    return true;
  } catch (error) {
    // The controller was faster.
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}
