import type { Unstructured } from '@lateen/api-types';

/** Metadata that only had a meaning in the old cluster (backup-and-restore.md section 12). Finalizers stay (after-1.18.1.md 1D.2). */
const droppedMetadata: ReadonlySet<string> = new Set([
  'generateName',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
]);

/** Returns a copy of the object without status and without metadata of the old cluster. */
export function resetObject(object: Unstructured): Unstructured {
  const { status: _, ...rest } = object;
  const kept = Object.entries(object.metadata).filter(([field]) => !droppedMetadata.has(field));
  return { ...rest, metadata: Object.fromEntries(kept) } as Unstructured;
}
