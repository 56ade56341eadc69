import type { KubeObject } from '@lateen/api-types';
import { longhornFinalizer } from '@lateen/storage-types';

/** Adds the finalizer: the object stays until its controller has cleaned up. */
export function withFinalizer<T extends KubeObject>(object: T): T {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(longhornFinalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, longhornFinalizer] } };
}
