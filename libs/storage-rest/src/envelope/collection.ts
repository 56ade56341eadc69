import { collectionUrl, type Resource } from './resource.ts';

/** Several objects of one type. There are no pages and no filters. */
export interface Collection {
  readonly type: 'collection';
  readonly resourceType: string;
  readonly links: Readonly<Record<string, string>>;
  readonly data: readonly Resource[];
  /** Types that can be made by a POST, with the address for it. */
  readonly createTypes?: Readonly<Record<string, string>>;
}

/** Types whose collections have no order of their own: they come as they were read. */
const unsorted: readonly string[] = ['snapshot', 'snapshotCR', 'orphan', 'instanceManager', 'volumeAttachment'];

/** `self` where the list is not that of all objects of the type. */
export function collection(type: string, data: readonly Resource[], base: string, self?: string): Collection {
  const url = self ?? collectionUrl(type, base);
  return {
    type: 'collection',
    resourceType: type,
    links: { self: url },
    data: unsorted.includes(type) ? data : [...data].sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)),
    ...(type === 'volume' ? { createTypes: { volume: url } } : {}),
  };
}
