import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { KubeApi } from './kube-api.ts';
import { isNotFound } from './kube-error.ts';
import { keyOf } from './kube-object.ts';

/**
 * Deletes this very object (by uid); one that is gone, or on its way, is fine. @throws KUBE_CONFLICT when another has its
 * name by now
 */
export async function deleteIfThere(
  kube: KubeApi,
  type: ResourceType,
  object: KubeObject,
  signal?: AbortSignal,
): Promise<void> {
  const { uid, deletionTimestamp } = object.metadata;
  if (deletionTimestamp !== undefined) return;
  try {
    await kube.delete(type, keyOf(object), { signal, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
