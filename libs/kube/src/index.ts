export type { KubeObject, ObjectMeta, OwnerReference, ResourceType, Unstructured } from '@lateen/api-types';
export {
  type ApiOverHttpLimits,
  apiOverHttpLimits,
  type Exchange,
  kubeApiOverHttp,
  type Numbers,
} from './http/api-over-http.ts';
export { connectionError } from './http/connection-error.ts';
export { parseExact, stringify } from './http/exact-json.ts';
export type { HttpAnswer, HttpRequest, HttpTransport } from './http/http-transport.ts';
export { type InClusterConfig, inClusterConfig, serviceAccountFiles } from './http/in-cluster-config.ts';
export { splitLines } from './http/lines.ts';
export { type QueryValue, queryText } from './http/query.ts';
export type { PlannedRequest } from './http/request-builders.ts';
export { type RetryLimits, retryLimitsDefault } from './http/retry.ts';
export { retryAfterMs } from './http/retry-after.ts';
export { type TokenFile, tokenFile } from './http/token-file.ts';
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
