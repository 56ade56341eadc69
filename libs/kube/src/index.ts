export type { KubeObject, ObjectMeta, OwnerReference, ResourceType, Unstructured } from '@lateen/api-types';
export { apiMicroTime, apiTime } from './api-time.ts';
export { createGenerated, generatedName } from './create-generated.ts';
export { deleteIfThere } from './delete-if-there.ts';
export type { DiscoveredType, Discovery, ResourceQuery } from './discovery.ts';
export { type ApiOverHttpLimits, type Exchange, kubeApiOverHttp, type Numbers } from './http/api-over-http.ts';
export { connectionError } from './http/connection-error.ts';
export { isJsonObject, parseExact, stringify } from './http/exact-json.ts';
export type { HttpAnswer, HttpRequest, HttpTransport } from './http/http-transport.ts';
export { type IdleGuard, idleGuard } from './http/idle-guard.ts';
export { type InClusterConfig, inClusterConfig } from './http/in-cluster-config.ts';
export { splitLines } from './http/lines.ts';
export { type QueryValue, queryText } from './http/query.ts';
export type { PlannedRequest } from './http/request-builders.ts';
export { type RetryLimits, retryLimitsDefault } from './http/retry.ts';
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
  causesOf,
  continueAfterExpiry,
  isAlreadyExists,
  isConflict,
  isGone,
  isIdleEnd,
  isNotFound,
  type KubeErrorCode,
  kubeError,
  kubeErrorFromStatus,
  retryAfterMsOf,
  type StatusBody,
  type StatusCause,
} from './kube-error.ts';
export { keyOf, keyText, type ObjectKey, parseKey } from './kube-object.ts';
export {
  type Labels,
  type LabelTest,
  labelTest,
  matchesSelector,
  parseSelector,
  selectorProblem,
  selectorText,
} from './label-selector.ts';
export { type CompleteList, listAll } from './list-all.ts';
export { listIfServed } from './list-if-served.ts';
export { matchResourceType } from './match-resource-type.ts';
export { isOwnedBy, ownerReferenceTo } from './owner-reference.ts';
export { type JsonPatchOptions, jsonPatch } from './patches/json-patch.ts';
export { mergePatch } from './patches/merge-patch.ts';
export { strategicMergePatch } from './patches/strategic-merge-patch.ts';
export { containerEndText, endingSignal, podEndCause } from './pod-end.ts';
export type { ExecOptions, PodExec } from './pod-exec.ts';
export { asksForSomething, type PodResourcesReading, readAmount, readPodResources } from './pod-resources.ts';
export { compareQuantities, parseQuantity, type Quantity, wholeUnits } from './quantity.ts';
export { readObject } from './read-object.ts';
export { canExist, isObjectName, requireKey, requireScope } from './require-key.ts';
export { apiVersionOf, groupResourceText, resourcePath } from './resource-type.ts';
export { retryOnConflict } from './retry-on-conflict.ts';
