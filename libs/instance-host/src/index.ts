export { InstanceBoard } from './board/instance-board.ts';
export { exportKeyIn } from './exports/export-key-in.ts';
export { exportKey, exportName, headExport } from './exports/export-name.ts';
export { type LeasedSnapshot, type LeasePorts, openLeased } from './exports/leased-snapshot.ts';
export { boundLogs, logLimits } from './logs/bound-logs.ts';
export { type Machine, realMachine, runVariable } from './processes/machine.ts';
export { planProcesses } from './processes/plan-processes.ts';
export { nextPort, replicaPorts } from './processes/port-range.ts';
export {
  type KeeperState,
  type KeptProcess,
  ProcessKeeper,
  type ProcessKeeperPorts,
} from './processes/process-keeper.ts';
export {
  type ProcessHealth,
  type ProcessKind,
  type ProcessStep,
  processHealths,
  processKinds,
  type SeenProcess,
  type WantedProcess,
} from './processes/process-plan.ts';
export { type RecordFiles, recordFiles } from './processes/record-files.ts';
export { claimGeneration } from './recorder/claim-generation.ts';
export type { EngineRun } from './recorder/engine-patch.ts';
export { FailureRecorder, type FailureRecorderPorts, type RecordedFailure } from './recorder/failure-recorder.ts';
export { recordHealthy, recordWriting } from './recorder/record-rebuild.ts';
export {
  type AttachedSeen,
  planTeardown,
  type TeardownPhase,
  type TeardownPlan,
  type TeardownStep,
  teardownPhases,
} from './teardown/plan-teardown.ts';
