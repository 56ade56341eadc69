import { annotations, type OwnerReference, type Unstructured } from '@lateen/api-types';
import { withoutAnnotations } from '@lateen/item-actions';
import { jsonPatch } from '@lateen/kube';
import type { OwnerRules } from './owner-rules.ts';

/** An owner as it was in the backup, and the uid of the object that stands in its place now. */
export interface FoundOwner {
  reference: OwnerReference;
  uid: string;
}

/**
 * The object with its owners put back, and without the mark that said which they are. A reference that is there stays; a second controller is
 * left out, since the API server refuses two. Pure.
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

/** Where the path has the uid of an owner of the backup, it gets the new one; anything else is left as it is. */
function withNewUid(object: Unstructured, path: string, owners: readonly FoundOwner[]): Unstructured {
  for (const { reference, uid } of owners) {
    try {
      const operations = [
        { op: 'test', path, value: reference.uid },
        { op: 'replace', path, value: uid },
      ] as const;
      return jsonPatch(object, operations) as Unstructured;
    } catch {
      // Another owner's, or nothing at all.
    }
  }
  return object;
}
