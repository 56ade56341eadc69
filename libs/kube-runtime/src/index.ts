export {
  type Controller,
  type ControllerBase,
  type ControllerSpec,
  controller,
  type Watch,
  watches,
} from './controller/controller.ts';
export { again, type Outcome, type Reconciler, settled, waiting } from './controller/outcome.ts';
export { ProgressWriter, type ProgressWriterOptions } from './controller/progress-writer.ts';
export type { ControllerMetrics } from './controller/run-controller.ts';
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
export { type LeadOptions, lead } from './leader/lead.ts';
export { claimed, type LeaseObservation, leaseState, observe as observeLease } from './leader/lease-claim.ts';
export { type FollowPodLogLimits, type FollowPodLogOptions, followPodLog } from './logs/follow-pod-log.ts';
export { CallPace, type CallPaceLimits, firstCalls } from './pace/call-pace.ts';
export { pacedApi } from './pace/paced-api.ts';
export {
  type ChangeHandler,
  type Informer,
  type InformerOptions,
  type InformerStats,
  informer,
} from './watching/informer.ts';
export { byLabel, type Change, type Indexers } from './watching/object-cache.ts';
export {
  dropManagedFields,
  type ReflectorLimits,
  type ReflectorOptions,
  type ReflectorSink,
  reflect,
} from './watching/reflect.ts';
export { type WaitForApiOptions, waitForApi } from './watching/wait-for-api.ts';
export { type WaitForObjectOptions, waitForObject } from './watching/wait-for-object.ts';
export { type WaitForObjectsOptions, waitForObjects } from './watching/wait-for-objects.ts';
export { type WaitGonePorts, waitGone } from './watching/wait-gone.ts';
export { withSpecOr } from './watching/with-spec.ts';
