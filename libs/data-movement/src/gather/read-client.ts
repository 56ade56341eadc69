import { type Pod, podType } from '@lateen/api-types';
import { isObjectName, type KubeApi, readObject } from '@lateen/kube';
import type { NamedPod } from '../kinds/client-of.ts';

/** Reads the client pod from the API server; undefined when there is no such pod, or the spec names none. */
export async function readClient(kube: KubeApi, pod: NamedPod, signal: AbortSignal): Promise<Pod | undefined> {
  const { namespace, name } = pod;
  if (!isObjectName(namespace) || !isObjectName(name)) return undefined;
  return await readObject(kube, podType, { namespace, name }, signal);
}
