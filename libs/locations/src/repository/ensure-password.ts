import { repositoryCredentials, type Secret, secretType } from '@lateen/api-types';
import type { Logger, Random } from '@lateen/kernel';
import { isAlreadyExists, isNotFound, type KubeApi } from '@lateen/kube';

/**
 * Makes the Secret with the repository password when an installation has none. The value is random: a fixed one, as
 * the reference uses, would let anybody with the bucket read everything. An existing Secret is never changed, so a
 * cluster that shall read older repositories gets their password before the controller starts, or afterwards.
 * Resolves with the Secret as it is. Safe to repeat and to race. @throws KUBE_…
 */
export async function ensureRepositoryPassword(
  ports: { kube: KubeApi; random: Random; log: Logger },
  namespace: string,
  signal: AbortSignal,
): Promise<Secret> {
  const { kube, random, log } = ports;
  const { name, key } = repositoryCredentials;
  try {
    return await kube.get(secretType, { namespace, name }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
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
    const made = await kube.create(secretType, secret, { namespace, signal });
    log.warn({ secret: `${namespace}/${name}` }, 'made a random repository password; keep a copy outside the cluster');
    return made;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return kube.get(secretType, { namespace, name }, { signal });
  }
}
