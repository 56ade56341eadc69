import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { KubeApi } from './kube-api.ts';
import { isNotFound } from './kube-error.ts';
import type { ObjectKey } from './kube-object.ts';

/** The object, or undefined when there is none. */
export async function readObject<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<T | undefined> {
  try {
    return await kube.get(type, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
