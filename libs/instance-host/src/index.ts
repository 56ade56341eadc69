export type { EngineRun } from './recorder/engine-patch.ts';
export { FailureRecorder, type FailureRecorderPorts, type RecordedFailure } from './recorder/failure-recorder.ts';
