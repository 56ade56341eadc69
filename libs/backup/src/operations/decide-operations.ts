import type { BackupOperation } from '@lateen/backup-store';
import type { OperationProgress } from '@lateen/item-actions';
import { isOpenOperation } from '../run/run-end.ts';

export interface OperationsSeen {
  operations: readonly BackupOperation[];
  /** What is known of the open ones, by operation ID. */
  progress: ReadonlyMap<string, OperationProgress>;
  /** How long an operation has been under way, in ms. */
  ageMs(operation: BackupOperation): number;
  timeoutMs: number;
  /** RFC 3339. */
  now: string;
}

export interface OperationsDecision {
  operations: BackupOperation[];
  /** Ended with this look, with an error. */
  failed: BackupOperation[];
  /** Of these: taken too long, and to be asked to end. */
  timedOut: BackupOperation[];
  isOver: boolean;
}

/** In the reference's words. */
export const timedOutText = 'Asynchronous action timed out';

/** What has become of operations since they were last looked at. Pure; one that has ended stays as it is. */
export function decideOperations(seen: OperationsSeen): OperationsDecision {
  const failed: BackupOperation[] = [];
  const timedOut: BackupOperation[] = [];
  const operations = seen.operations.map((operation) => {
    if (!isOpenOperation(operation.status.phase)) return operation;
    const after = advanced(operation, seen);
    if (after.status.phase === 'Failed') failed.push(after);
    if (after.status.error === timedOutText) timedOut.push(after);
    return after;
  });
  return { operations, failed, timedOut, isOver: operations.every(({ status }) => !isOpenOperation(status.phase)) };
}

function advanced(operation: BackupOperation, seen: OperationsSeen): BackupOperation {
  const progress = seen.progress.get(operation.spec.operationID);
  const { status } = progress === undefined ? operation : withProgress(operation, progress);
  if (progress?.completed === true) {
    const { error } = progress;
    return {
      ...operation,
      status: { ...status, phase: error ? 'Failed' : 'Completed', ...(error ? { error } : {}), updated: seen.now },
    };
  }
  if (seen.ageMs(operation) >= seen.timeoutMs)
    return { ...operation, status: { ...status, phase: 'Failed', error: timedOutText, updated: seen.now } };
  return { ...operation, status };
}

function withProgress({ spec, status }: BackupOperation, progress: OperationProgress): BackupOperation {
  const { nCompleted, nTotal, units, description, startedAt, updatedAt } = progress;
  return {
    spec,
    status: {
      ...status,
      ...(startedAt === undefined ? {} : { phase: 'InProgress', started: startedAt }),
      ...(nCompleted === undefined ? {} : { nCompleted }),
      ...(nTotal === undefined ? {} : { nTotal }),
      ...(units === undefined ? {} : { operationUnits: units }),
      ...(description === undefined ? {} : { description }),
      ...(updatedAt === undefined ? {} : { updated: updatedAt }),
    },
  };
}
