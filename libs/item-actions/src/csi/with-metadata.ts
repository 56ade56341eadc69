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
