import type { ResourceType } from '@lateen/api-types';
import { kubeError } from './kube-error.ts';
import type { ObjectKey } from './kube-object.ts';
import { groupResourceText } from './resource-type.ts';

/**
 * False when no object of the kind can have this key, because its name or its namespace is empty or more than one part of
 * a path. What a spec names may be like that; sent as it is, it would mean another object, or all of them.
 */
export function canExist(type: ResourceType, { namespace, name }: ObjectKey): boolean {
  return isObjectName(name) && (!type.namespaced || isObjectName(namespace));
}

/** @throws KUBE_BAD_REQUEST for a key that no object can have, see {@link canExist} */
export function requireKey(verb: string, type: ResourceType, { namespace, name }: ObjectKey): void {
  if (!isObjectName(name))
    throw kubeError('KUBE_BAD_REQUEST', `cannot ${verb} ${groupResourceText(type)}: "${name}" is not an object name`);
  if (type.namespaced) requireNamespace(`cannot ${verb} ${groupResourceText(type)} "${name}"`, namespace);
}

/** For requests about many objects: an absent namespace means all, an empty one is a mistake. @throws KUBE_BAD_REQUEST */
export function requireScope(verb: string, type: ResourceType, namespace: string | undefined): void {
  if (type.namespaced && namespace !== undefined)
    requireNamespace(`cannot ${verb} ${groupResourceText(type)}`, namespace);
}

function requireNamespace(what: string, namespace: string | undefined): void {
  if (isObjectName(namespace)) return;
  const why = namespace === undefined || namespace === '' ? 'no namespace given' : `"${namespace}" is not a namespace`;
  throw kubeError('KUBE_BAD_REQUEST', `${what}: ${why}`, { nextStep: 'Name the namespace of the object' });
}

/** True for what is one part of a path, by the API server's own rule (k8s.io/apimachinery, IsValidPathSegmentName). */
export function isObjectName(text: string | undefined): boolean {
  return text !== undefined && !['', '.', '..'].includes(text) && !/[/%]/.test(text);
}
