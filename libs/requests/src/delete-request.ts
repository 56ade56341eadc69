import { isConflict, isNotFound, type KubeApi, type KubeObject, keyOf, type ResourceType } from '@lateen/kube';

/** Deletes a request that has served, and no other of its name. Resolves also when it is gone already. */
export async function deleteRequest<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  request: T,
): Promise<void> {
  const { uid } = request.metadata;
  try {
    await kube.delete(type, keyOf(request), uid === undefined ? {} : { preconditions: { uid } });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
