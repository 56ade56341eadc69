export { type ClaimPorts, claimRun, takeOverRun } from './api/claim-run.ts';
export { OwnWrites } from './api/own-writes.ts';
export { inOrder, patchedStatus, type RunWrites, runWrites, type WritePorts, workedOnBy } from './api/run-writes.ts';
export { interruption, interruptionError, type RunInterruption, type RunWatch, watchRun } from './api/watch-run.ts';
export { concludeRun, type Verdicts, workOnRun } from './api/work-on-run.ts';
export { type RunLog, type RunLogPorts, runLog } from './log/run-log.ts';
export { askToEnd } from './operations/ask-progress.ts';
export { followOperations, operationLimits } from './operations/follow-operations.ts';
export { type OperationFollowers, operationFollowers } from './operations/operation-followers.ts';
export {
  countOf,
  isOpenOperation,
  type LocationForOperations,
  type OperationCounts,
  type OperationsKind,
} from './operations/operations-kind.ts';
export { usableLocation } from './operations/usable-location.ts';
export { type PhaseMoves, type PhaseTable, phaseTable } from './phases/phase-table.ts';
export { type RunProblem, withProblems } from './results/with-problems.ts';
export type { RunKind, RunPatch, StatusPatch } from './run-kind.ts';
export { hasMovedOn } from './run-object.ts';
export { type RunSteps, runReconciler, type StepEnd } from './run-reconciler.ts';
export { type PoliciesReading, readPolicies } from './validation/read-policies.ts';
export { failedVerdict, numberOrNone, type Verdict } from './verdict.ts';
