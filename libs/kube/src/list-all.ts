import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { KubeApi, ListOptions } from './kube-api.ts';

export interface CompleteList<T> {
  items: T[];
  /** Where a watch continues. */
  resourceVersion: string;
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
  options: Omit<ListOptions, 'continue' | 'resourceVersion'> = {},
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
    if (page.continue === undefined || page.continue === '') return { items, resourceVersion: page.resourceVersion };
    next = page.continue;
  }
}
