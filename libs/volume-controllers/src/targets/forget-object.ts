import type { KubeObject } from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, type ResourceType } from '@lateen/kube';
import { longhornFinalizer } from '@lateen/storage-types';

/**
 * Deletes an object and keeps the data on the target: an update of the object as read removes the finalizer, then the object is deleted with the
 * resourceVersion of that update as precondition. Without it, a controller that adds the finalizer again in between would treat the deletion as a
 * user's request, and delete the data. Does nothing when the object is gone. @throws KUBE_CONFLICT: look again
 */
export async function forgetObject<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  object: T,
  signal: AbortSignal,
): Promise<void> {
  try {
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== longhornFinalizer);
    const held = finalizers.length !== (object.metadata.finalizers ?? []).length;
    const free = held
      ? await kube.update(type, { ...object, metadata: { ...object.metadata, finalizers } }, { signal })
      : object;
    const { uid, resourceVersion } = free.metadata;
    await kube.delete(type, keyOf(object), {
      signal,
      preconditions: {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
