import type { KubeObject } from '@lateen/api-types';
import { isNotFound, type KubeApi, keyOf, type ResourceType } from '@lateen/kube';
import { longhornFinalizer } from '@lateen/storage-types';

/**
 * Takes an object away and leaves what is on the target as it is: its finalizer goes by an update of what was read, and then the object, with the
 * resourceVersion of that update for a precondition. A room that gives the finalizer back in between would take the deletion for one that somebody
 * has asked for, and delete the data. Gone already is fine. @throws KUBE_CONFLICT: look again
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
