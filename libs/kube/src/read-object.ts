import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { KubeApi } from './kube-api.ts';
import { isNotFound } from './kube-error.ts';
import type { ObjectKey } from './kube-object.ts';
import { canExist } from './require-key.ts';

/** The object, or undefined when there is none; also, without a call, for a key that no object can have. */
export async function readObject<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  key: ObjectKey,
  signal: AbortSignal,
): Promise<T | undefined> {
  if (!canExist(type, key)) return undefined;
  try {
    return await kube.get(type, key, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
