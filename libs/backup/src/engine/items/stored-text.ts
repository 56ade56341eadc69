import { annotations, type Unstructured } from '@lateen/api-types';
import { stringify } from '@lateen/kube';

/** What actions tell the engine through an item; not a part of what is stored (object-store-layout.md section 4). */
const internal: readonly string[] = [annotations.mustIncludeAdditionalItems, annotations.skippedNoCsiPv];

/** An object as the archive has it: one line of JSON, every field and number as it came. */
export function storedText(object: Unstructured): string {
  const given = object.metadata.annotations;
  if (given === undefined || given === null || !internal.some((key) => key in given)) return stringify(object);
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !internal.includes(key)));
  const { annotations: _, ...metadata } = object.metadata;
  const isEmpty = Object.keys(kept).length === 0;
  return stringify({ ...object, metadata: isEmpty ? metadata : { ...metadata, annotations: kept } });
}
