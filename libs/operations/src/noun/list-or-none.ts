import type { KubeObject } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { type KubeApi, type ListOptions, listAll, type ResourceType } from '@lateen/kube';

/** All of a kind; none where the person may not list it: the rest is worth showing. */
export async function listOrNone<T extends KubeObject>(
  kube: KubeApi,
  type: ResourceType<T>,
  options: ListOptions,
): Promise<T[]> {
  try {
    return (await listAll(kube, type, options)).items;
  } catch (error) {
    if (isAppError(error, 'KUBE_FORBIDDEN')) return [];
    throw error;
  }
}
