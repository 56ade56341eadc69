import { readFile } from 'node:fs/promises';
import { defaultNamespace } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import type { Clock, Logger, Random } from '@lateen/kernel';
import { type InClusterConfig, inClusterConfig, type KubeApi } from '@lateen/kube';
import { kubeInCluster } from '@lateen/kube-in-cluster';
import type { Environment } from './startup-checks.ts';

/** The API as the pod's service account, and the namespace of the server. Outside of a pod each call says why there is none. */
export async function kubeOfPod(
  env: Environment,
  ports: { clock: Clock; random: Random; log: Logger },
): Promise<{ kube: KubeApi; namespace: string }> {
  const config = await inClusterConfig(env, (path) => readFile(path, 'utf8')).catch((error: unknown) => {
    if (isAppError(error, 'KUBE_NOT_IN_CLUSTER')) return error;
    throw error;
  });
  const named = env.VELERO_NAMESPACE || undefined;
  if (config instanceof Error) return { kube: unreachable(config), namespace: named ?? defaultNamespace };
  return { kube: kubeInCluster({ config: config as InClusterConfig, ...ports }), namespace: named ?? config.namespace };
}

function unreachable(why: Error): KubeApi {
  const fails = () => Promise.reject(why);
  return {
    get: fails,
    list: fails,
    watch: () => ({ [Symbol.asyncIterator]: () => ({ next: fails }) }),
    create: fails,
    update: fails,
    patch: fails,
    delete: fails,
  };
}
