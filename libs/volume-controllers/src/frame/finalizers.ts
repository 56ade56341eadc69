import type { KubeObject } from '@lateen/api-types';
import { longhornFinalizer } from '@lateen/storage-types';

/** The object stays until its room has cleared up after it. */
export function withFinalizer<T extends KubeObject>(object: T): T {
  const { finalizers = [] } = object.metadata;
  if (finalizers.includes(longhornFinalizer)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, longhornFinalizer] } };
}
