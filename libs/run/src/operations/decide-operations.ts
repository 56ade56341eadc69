import type { OperationStatus } from '@lateen/backup-store';
import type { OperationProgress } from '@lateen/item-actions';
import { isOpenOperation, type RunOperation } from './operations-kind.ts';

export interface OperationsSeen<O extends RunOperation> {
  operations: readonly O[];
  /** The last known progress of the open operations, by operation ID. */
  progress: ReadonlyMap<string, OperationProgress>;
  /** How long an operation has been running, in ms. */
  ageMs(operation: O): number;
  timeoutMs(operation: O): number;
  /** RFC 3339. */
  now: string;
}

export interface OperationsDecision<O extends RunOperation> {
  operations: O[];
  /** Operations that ended with an error at this look. */
  failed: O[];
  /** Those of them that timed out, and have to be asked to end. */
  timedOut: O[];
  isOver: boolean;
}

/** In Velero's words. */
export const timedOutText = 'Asynchronous action timed out';

/** The new state of operations since the last look. Pure; an operation that has ended does not change. */
export function decideOperations<O extends RunOperation>(seen: OperationsSeen<O>): OperationsDecision<O> {
  const failed: O[] = [];
  const timedOut: O[] = [];
  const operations = seen.operations.map((operation) => {
    if (!isOpenOperation(operation.status.phase)) return operation;
    const after = advanced(operation, seen);
    if (after.status.phase === 'Failed') failed.push(after);
    if (after.status.error === timedOutText) timedOut.push(after);
    return after;
  });
  return { operations, failed, timedOut, isOver: operations.every(({ status }) => !isOpenOperation(status.phase)) };
}

function advanced<O extends RunOperation>(operation: O, seen: OperationsSeen<O>): O {
  const progress = seen.progress.get(operation.spec.operationID);
  const status = progress === undefined ? operation.status : withProgress(operation.status, progress);
  if (progress?.completed === true) {
    const { error } = progress;
    return {
      ...operation,
      status: { ...status, phase: error ? 'Failed' : 'Completed', ...(error ? { error } : {}), updated: seen.now },
    };
  }
  if (seen.ageMs(operation) >= seen.timeoutMs(operation))
    return { ...operation, status: { ...status, phase: 'Failed', error: timedOutText, updated: seen.now } };
  return { ...operation, status };
}

function withProgress(status: OperationStatus, progress: OperationProgress): OperationStatus {
  const { nCompleted, nTotal, units, description, startedAt, updatedAt } = progress;
  return {
    ...status,
    ...(startedAt === undefined ? {} : { phase: 'InProgress', started: startedAt }),
    ...(nCompleted === undefined ? {} : { nCompleted }),
    ...(nTotal === undefined ? {} : { nTotal }),
    ...(units === undefined ? {} : { operationUnits: units }),
    ...(description === undefined ? {} : { description }),
    ...(updatedAt === undefined ? {} : { updated: updatedAt }),
  };
}
