import { annotations, type PersistentVolume, type Unstructured } from '@lateen/api-types';
import { withoutAnnotations } from '@lateen/item-actions';

const bindingMarks = [annotations.bindCompleted, annotations.boundByController];

/** What the volume binder has noted about a binding that there is no more; for volumes and claims. */
export const withoutBindingMarks = (item: Unstructured): Unstructured => withoutAnnotations(item, bindingMarks);

/** The volume free for the claim that it had, in the namespace where that is restored to. */
export function unboundVolume(volume: PersistentVolume, mapped: (namespace: string) => string): PersistentVolume {
  const unmarked = withoutBindingMarks(volume as unknown as Unstructured) as unknown as PersistentVolume;
  const { claimRef } = unmarked.spec;
  if (claimRef === undefined) return unmarked;
  const { uid: _, resourceVersion: __, ...kept } = claimRef;
  const namespace = kept.namespace === undefined ? {} : { namespace: mapped(kept.namespace) };
  return { ...unmarked, spec: { ...unmarked.spec, claimRef: { ...kept, ...namespace } } };
}
