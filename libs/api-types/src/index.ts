export type { KubeObject, ObjectMeta, OwnerReference, Unstructured } from './meta/kube-object.ts';
export type { ResourceType } from './meta/resource-type.ts';
