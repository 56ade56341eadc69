export type { KubeObject, ObjectMeta, OwnerReference, ResourceType, Unstructured } from '@lateen/api-types';
export type {
  CallOptions,
  CreateOptions,
  DeleteOptions,
  JsonPatchOperation,
  KubeApi,
  ListOptions,
  ListPage,
  Patch,
  PodLogOptions,
  PodLogs,
  ReadOptions,
  WatchEvent,
  WatchOptions,
  WriteOptions,
} from './kube-api.ts';
export {
  isAlreadyExists,
  isConflict,
  isGone,
  isNotFound,
  type KubeErrorCode,
  kubeError,
  kubeErrorFromStatus,
  type StatusBody,
} from './kube-error.ts';
export { keyOf, keyText, type ObjectKey, parseKey } from './kube-object.ts';
export { apiVersionOf, groupResourceText, resourcePath } from './resource-type.ts';
