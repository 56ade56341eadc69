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
export {
  type KubeObject,
  keyOf,
  keyText,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  parseKey,
  type Unstructured,
} from './kube-object.ts';
export { apiVersionOf, groupResourceText, type ResourceType, resourcePath } from './resource-type.ts';
