import type { KubeObject } from '../meta/kube-object.ts';
import type { ResourceType } from '../meta/resource-type.ts';

/** A kind outside our own group. */
export function coreType<T extends KubeObject>(
  apiVersion: string,
  kind: string,
  resource: string,
  namespaced = true,
): ResourceType<T> {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return { group: group ?? '', version: version ?? '', kind, resource, namespaced };
}
