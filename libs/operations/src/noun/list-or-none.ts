import type { KubeObject } from '@lateen/api-types';
import { isAppError } from '@lateen/errors';
import { type KubeApi, type ListOptions, listAll, type ResourceType } from '@lateen/kube';

/** Lists all objects of a kind; empty when the user may not list them, because the other facts are worth showing. */
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
