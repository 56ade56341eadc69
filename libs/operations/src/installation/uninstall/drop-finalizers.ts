import { finalizers } from '@lateen/api-types';
import {
  isConflict,
  isNotFound,
  type KubeApi,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ResourceType,
  readObject,
} from '@lateen/kube';

/** Our own and Velero's finalizers; the owner of any other finalizer still has work to do before the object is gone. */
const ours: ReadonlySet<string> = new Set(Object.values(finalizers));

/** Removes finalizers, by default those of velero.io, from the current object, which may have changed since it was read. */
export async function dropFinalizers(
  type: ResourceType<KubeObject>,
  key: ObjectKey,
  { kube, signal }: { kube: KubeApi; signal: AbortSignal },
  dropped = ours,
): Promise<void> {
  for (;;) {
    const object = await readObject(kube, type, key, signal);
    const present = object?.metadata.finalizers ?? [];
    if (object === undefined || !present.some((it) => dropped.has(it))) return;
    const { resourceVersion } = object.metadata;
    const body = { metadata: { resourceVersion, finalizers: present.filter((it) => !dropped.has(it)) } };
    try {
      await kube.patch(type, keyOf(object), { type: 'merge', body }, { signal });
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
    }
  }
}
