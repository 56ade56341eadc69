import type { KubeObject, ResourceType } from '@lateen/api-types';

/** The API group of all kinds of the volume manager. */
export const longhornGroup = 'longhorn.io';

/** The only version that is served. */
export const longhornVersion = 'v1beta2';

/** Namespace that clients of Longhorn look into (longhorn.md section 1). */
export const longhornNamespace = 'longhorn-system';

/** A kind of {@link longhornGroup}; all of them are namespaced. */
export function longhornType<T extends KubeObject>(kind: string, resource: string): ResourceType<T> {
  return { group: longhornGroup, version: longhornVersion, kind, resource, namespaced: true };
}
