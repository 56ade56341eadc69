export type { KubeObject, ObjectMeta, OwnerReference, ResourceType, Unstructured } from '@lateen/api-types';
export { apiTime } from './api-time.ts';
export { again, type Outcome, type Reconciler, settled, waiting } from './controller/outcome.ts';
export { type ControllerMetrics, type ControllerOptions, runController } from './controller/run-controller.ts';
export {
  WorkQueue,
  type WorkQueueLimits,
  type WorkQueueMetrics,
  type WorkQueueOptions,
  workQueue,
} from './controller/work-queue.ts';
export type { EventSubject } from './events/event-body.ts';
export { type EventRecorder, type EventRecorderOptions, eventRecorder } from './events/event-recorder.ts';
export { eventSubject } from './events/event-subject.ts';
export { type ApiOverHttpLimits, type Exchange, kubeApiOverHttp, type Numbers } from './http/api-over-http.ts';
export { connectionError } from './http/connection-error.ts';
export { parseExact, stringify } from './http/exact-json.ts';
export type { HttpAnswer, HttpRequest, HttpTransport } from './http/http-transport.ts';
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
  isAlreadyExists,
  isConflict,
  isGone,
  isNotFound,
  type KubeErrorCode,
  kubeError,
  kubeErrorFromStatus,
  type StatusBody,
} from './kube-error.ts';
export { keyOf, keyText, type ObjectKey } from './kube-object.ts';
export { type LeadOptions, lead } from './leader/lead.ts';
export { type FollowPodLogLimits, type FollowPodLogOptions, followPodLog } from './logs/follow-pod-log.ts';
export { isOwnedBy, ownerReferenceTo } from './owner-reference.ts';
export { compareQuantities, parseQuantity, type Quantity, wholeUnits } from './quantity.ts';
export { readObject } from './read-object.ts';
export { apiVersionOf, groupResourceText, resourcePath } from './resource-type.ts';
export {
  type ChangeHandler,
  type Informer,
  type InformerOptions,
  type InformerStats,
  informer,
} from './watching/informer.ts';
export { type CompleteList, listAll } from './watching/list-all.ts';
export { byLabel, type Change, type Indexers } from './watching/object-cache.ts';
export {
  dropManagedFields,
  type ReflectorLimits,
  type ReflectorOptions,
  type ReflectorSink,
  reflect,
} from './watching/reflect.ts';
export { type WaitForObjectOptions, waitForObject } from './watching/wait-for-object.ts';
