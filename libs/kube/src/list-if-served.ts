import type { KubeObject, ResourceType } from '@lateen/api-types';
import type { KubeApi } from './kube-api.ts';
import { isNotFound } from './kube-error.ts';
import { type ListAllOptions, listAll } from './list-all.ts';

/** All objects of a kind, as {@link listAll} finds them; none where the cluster does not serve the kind. */
export async function listIfServed<T extends KubeObject>(
  api: KubeApi,
  type: ResourceType<T>,
  options: ListAllOptions = {},
  transform?: (object: T) => T,
): Promise<T[]> {
  try {
    return (await listAll(api, type, options, transform)).items;
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}
