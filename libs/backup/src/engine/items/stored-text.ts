import { annotations, type Unstructured } from '@lateen/api-types';
import { stringify } from '@lateen/kube';

/** Annotations by which actions inform the engine; they are not stored (object-store-layout.md section 4). */
const internal: readonly string[] = [annotations.mustIncludeAdditionalItems, annotations.skippedNoCsiPv];

/** An object in the form of the archive: one line of JSON, with every field and number as it was read. */
export function storedText(object: Unstructured): string {
  const given = object.metadata.annotations;
  if (given === undefined || given === null || !internal.some((key) => key in given)) return stringify(object);
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !internal.includes(key)));
  const { annotations: _, ...metadata } = object.metadata;
  const isEmpty = Object.keys(kept).length === 0;
  return stringify({ ...object, metadata: isEmpty ? metadata : { ...metadata, annotations: kept } });
}
