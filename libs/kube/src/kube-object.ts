import type { ObjectMeta } from '@lateen/api-types';

export interface ObjectKey {
  /** Absent for cluster-scoped objects. */
  namespace?: string | undefined;
  name: string;
}

/** `namespace/name`, or `name` for cluster-scoped objects; the work queue's key. */
export function keyText(key: ObjectKey): string {
  return key.namespace === undefined ? key.name : `${key.namespace}/${key.name}`;
}

/** The inverse of {@link keyText}. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf('/');
  return slash < 0 ? { name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

export function keyOf(object: { metadata: ObjectMeta }): ObjectKey {
  const { namespace, name } = object.metadata;
  return namespace === undefined ? { name: name ?? '' } : { namespace, name: name ?? '' };
}
