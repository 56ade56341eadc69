import { annotations, type OwnerReference, type Unstructured } from '@lateen/api-types';
import type { OwnerRules } from './owner-rules.ts';

/**
 * The annotation with an object's owner references in the backup. It is set when the object is created, so that any process can restore the
 * references when all objects exist. Undefined for objects that have none or are out of scope.
 */
export function ownerMarks(
  rules: OwnerRules | undefined,
  { groupResource }: { groupResource: string },
  original: Unstructured,
): Record<string, string> | undefined {
  const { ownerReferences } = original.metadata;
  const hasOwners = Array.isArray(ownerReferences) && ownerReferences.length > 0;
  if (!hasOwners || rules?.inScope(groupResource) !== true) return undefined;
  return { [annotations.ownersInBackup]: JSON.stringify(ownerReferences) };
}

/** Reads the annotation of {@link ownerMarks}; undefined when it is missing or was changed by another client. */
export function markedOwners({ metadata }: Unstructured): OwnerReference[] | undefined {
  const text = metadata.annotations?.[annotations.ownersInBackup];
  if (text === undefined) return undefined;
  try {
    const owners: unknown = JSON.parse(text);
    return Array.isArray(owners) ? owners.filter(isReference) : [];
  } catch {
    return [];
  }
}

function isReference(value: unknown): value is OwnerReference {
  const { apiVersion, kind, name, uid } = (value ?? {}) as Partial<OwnerReference>;
  return [apiVersion, kind, name, uid].every((field) => typeof field === 'string' && field !== '');
}
