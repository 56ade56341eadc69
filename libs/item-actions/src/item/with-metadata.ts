import type { Unstructured } from '@lateen/api-types';

/** A copy of the item with these labels and annotations. */
export function withMetadata(
  item: Unstructured,
  { labels, annotations }: { labels?: Record<string, string>; annotations?: Record<string, string> },
): Unstructured {
  const { metadata } = item;
  return {
    ...item,
    metadata: {
      ...metadata,
      ...(labels === undefined ? {} : { labels: { ...metadata.labels, ...labels } }),
      ...(annotations === undefined ? {} : { annotations: { ...metadata.annotations, ...annotations } }),
    },
  };
}

/** A copy of the item without these annotations; the item itself when it has none of them. */
export function withoutAnnotations(item: Unstructured, keys: readonly string[]): Unstructured {
  const { annotations } = item.metadata;
  if (annotations === undefined || annotations === null || !keys.some((key) => Object.hasOwn(annotations, key)))
    return item;
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !keys.includes(key)));
  return { ...item, metadata: { ...item.metadata, annotations: kept } };
}
