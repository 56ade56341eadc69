import { annotations, type OwnerReference, type Unstructured } from '@lateen/api-types';
import { withoutAnnotations } from '@lateen/item-actions';
import { jsonPatch } from '@lateen/kube';
import type { OwnerRules } from './owner-rules.ts';

/** An owner reference of the backup, and the uid of the object that has its place now. */
export interface FoundOwner {
  reference: OwnerReference;
  uid: string;
}

/**
 * The object with its owner references restored, and without the annotation that recorded them. An existing reference stays; a second
 * controller is left out, because the API server accepts only one. Pure.
 */
export function ownedAgain(
  object: Unstructured,
  owners: readonly FoundOwner[],
  groupResource: string,
  { specRefPaths }: Pick<OwnerRules, 'specRefPaths'>,
): Unstructured {
  const references = [...(object.metadata.ownerReferences ?? [])];
  for (const { reference, uid } of owners) {
    const isDouble = references.some((each) => each.uid === uid);
    const isSecondController = reference.controller === true && references.some((each) => each.controller === true);
    if (!isDouble && !isSecondController) references.push({ ...reference, uid });
  }
  const unmarked = withoutAnnotations(object, [annotations.ownersInBackup]);
  const linked = { ...unmarked, metadata: { ...unmarked.metadata, ownerReferences: references } };
  const paths = specRefPaths.filter(({ resource }) => resource === groupResource);
  return paths.reduce<Unstructured>((result, { path }) => withNewUid(result, path, owners), linked);
}

/** Replaces the uid of an owner in the backup by the new one at this path; other values stay. */
function withNewUid(object: Unstructured, path: string, owners: readonly FoundOwner[]): Unstructured {
  for (const { reference, uid } of owners) {
    try {
      const operations = [
        { op: 'test', path, value: reference.uid },
        { op: 'replace', path, value: uid },
      ] as const;
      return jsonPatch(object, operations) as Unstructured;
    } catch {
      // The value is the uid of another owner, or is missing.
    }
  }
  return object;
}
