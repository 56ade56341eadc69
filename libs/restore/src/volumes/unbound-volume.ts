import { annotations, type PersistentVolume, type Unstructured } from '@lateen/api-types';
import { withoutAnnotations } from '@lateen/item-actions';

const bindingMarks = [annotations.bindCompleted, annotations.boundByController];

/** Removes the volume binder's annotations about a binding that no longer exists; for volumes and claims. */
export const withoutBindingMarks = (item: Unstructured): Unstructured => withoutAnnotations(item, bindingMarks);

/** The volume, reserved for its former claim in the target namespace of that claim. */
export function unboundVolume(volume: PersistentVolume, mapped: (namespace: string) => string): PersistentVolume {
  const unmarked = withoutBindingMarks(volume as unknown as Unstructured) as unknown as PersistentVolume;
  const { claimRef } = unmarked.spec;
  if (claimRef === undefined) return unmarked;
  const { uid: _, resourceVersion: __, ...kept } = claimRef;
  const namespace = kept.namespace === undefined ? {} : { namespace: mapped(kept.namespace) };
  return { ...unmarked, spec: { ...unmarked.spec, claimRef: { ...kept, ...namespace } } };
}
