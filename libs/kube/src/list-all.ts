import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { KubeApi, ListOptions } from './kube-api.ts';

export interface CompleteList<T> {
  items: T[];
  /** Where a watch continues. */
  resourceVersion: string;
  /** There are more than the `itemsMax` that were asked for, and these are the first of them. */
  isCut: boolean;
}

export interface ListAllOptions extends Omit<ListOptions, 'continue' | 'resourceVersion'> {
  /** No further page is requested after this many objects. Default: no limit. */
  itemsMax?: number;
}

/** Pages of this size bound what one answer holds; the API server's own clients use the same. */
const pageItems = 500;

/**
 * All pages of a list. Each object goes through `transform` as it arrives, so that what is dropped there is not held.
 * @throws KUBE_GONE when the list took so long that its version expired; start again
 */
export async function listAll<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType<T>,
  { itemsMax = Number.POSITIVE_INFINITY, ...options }: ListAllOptions = {},
  transform: (object: T) => T = (object) => object,
): Promise<CompleteList<T>> {
  const items: T[] = [];
  let next: string | undefined;
  for (;;) {
    const page = await api.list(type, {
      limit: pageItems,
      ...options,
      ...(next === undefined ? {} : { continue: next }),
    });
    for (const item of page.items) items.push(transform(item));
    const { resourceVersion } = page;
    next = page.continue;
    const isLast = next === undefined || next === '';
    if (!isLast && items.length < itemsMax) continue;
    const tooMany = items.splice(itemsMax).length > 0;
    return { items, resourceVersion, isCut: tooMany || !isLast };
  }
}
