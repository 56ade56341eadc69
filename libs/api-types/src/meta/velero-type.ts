import type { KubeObject } from './kube-object.ts';
import type { ResourceType } from './resource-type.ts';

/** The API group of all our kinds. */
export const veleroGroup = 'velero.io';

/** A kind of {@link veleroGroup}; all of them are namespaced (api.md section 1). */
export function veleroType<T extends KubeObject>(
  version: 'v1' | 'v2alpha1',
  kind: string,
  resource: string,
): ResourceType<T> {
  return { group: veleroGroup, version, kind, resource, namespaced: true };
}
