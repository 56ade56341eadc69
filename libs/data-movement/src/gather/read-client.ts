import { type Pod, podType } from '@lateen/api-types';
import { isObjectName, type KubeApi, readObject } from '@lateen/kube';
import type { NamedPod } from '../kinds/client-of.ts';

/** The client pod as the API server has it; undefined when it is not there, also for want of a name. */
export async function readClient(kube: KubeApi, pod: NamedPod, signal: AbortSignal): Promise<Pod | undefined> {
  const { namespace, name } = pod;
  if (!isObjectName(namespace) || !isObjectName(name)) return undefined;
  return await readObject(kube, podType, { namespace, name }, signal);
}
