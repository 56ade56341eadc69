import { redactText } from '@lateen/kernel';
import { patchedStatus } from '../api/run-writes.ts';
import { withProblems } from '../results/with-problems.ts';
import type { PhaseOf, RunKind, StatusOf, StatusPatch } from '../run-kind.ts';
import type { RunObject } from '../run-object.ts';
import { numberOrNone } from '../verdict.ts';
import type { OperationsDecision } from './decide-operations.ts';
import { operationProblem } from './operation-results.ts';
import {
  countOf,
  type OperationFiles,
  type OperationsKind,
  type OperationsPorts,
  type RunOperation,
} from './operations-kind.ts';

export interface OperationsNews<R extends RunObject, O extends RunOperation, F extends OperationFiles<O>> {
  run: R;
  decision: OperationsDecision<O>;
  inStore<T>(use: (files: F) => Promise<T>): Promise<T>;
}

/**
 * Stores the changes of operations: files when one has failed or all have ended, then counters and phase. The errors of
 * operations are errors of the run: they are added to its results, and counted. Resolves with the updated run; a run that no
 * longer waits for operations is not changed.
 */
export async function writeOperations<R extends RunObject, O extends RunOperation, C, F extends OperationFiles<O>>(
  kind: OperationsKind<R, O, C, F>,
  ports: OperationsPorts<R>,
  { run, decision, inStore }: OperationsNews<R, O, F>,
  signal: AbortSignal,
): Promise<R> {
  const { operations, failed, isOver } = decision;
  const { writes, log } = kind;
  const { word, phases } = writes.kind;
  const name = run.metadata.name ?? '';
  for (const { spec, status } of failed)
    log.error(
      { [word]: name, operation: spec.operationID, item: spec.resourceIdentifier, reason: status.error },
      `an operation of a ${word} failed`,
    );
  const write = async (latest: R): Promise<R> => {
    const isLeaving = latest.spec.cancel === true || latest.metadata.deletionTimestamp !== undefined;
    if (!isWaitingForOperations(writes.kind, latest) || isLeaving) return latest;
    const end = operationsEnd(kind, latest, decision);
    if (failed.length > 0 || isOver)
      await inStore(async (files) => {
        if (failed.length > 0) {
          const before = await files.getResults(name, { signal });
          const problems = failed.map((operation) => operationProblem(operation, kind.actionOf(operation)));
          await files.putResults(name, withProblems(before, problems, redactText), { signal });
        }
        await files.putItemOperations(name, operations, { signal });
        const status = patchedStatus<StatusOf<R>>(latest.status, { ...end.status, phase: end.phase });
        await kind.storeStatus?.(files, latest, status, signal);
      });
    if (end.phase !== phases.phaseOf(latest))
      return await writes.move(ports, latest, end.phase, { status: end.status }, signal);
    return end.isNews ? await writes.write(ports, latest, { status: end.status }, signal) : latest;
  };
  return await writes.onLatest(ports, run, write, signal);
}

/** Whether its operations are still running. */
export const isWaitingForOperations = <R extends RunObject>({ phases }: RunKind<R>, run: R): boolean =>
  phases.phaseOf(run).startsWith('WaitingForPluginOperations');

/** The counters, computed from the operations alone, so that a repeated look counts nothing twice. Pure. */
function operationsEnd<R extends RunObject, O extends RunOperation, C, F extends OperationFiles<O>>(
  kind: OperationsKind<R, O, C, F>,
  run: R,
  { operations, isOver }: OperationsDecision<O>,
) {
  const before = kind.countsOf(run.status);
  const after = { completed: countOf(operations, 'Completed'), failed: countOf(operations, 'Failed') };
  const errors = (run.status?.errors ?? 0) + Math.max(after.failed - before.failed, 0);
  const base = isOver ? 'Finalizing' : 'WaitingForPluginOperations';
  const isPartial = errors > 0 || kind.writes.kind.phases.phaseOf(run).endsWith('PartiallyFailed');
  const phase = (isPartial ? `${base}PartiallyFailed` : base) as PhaseOf<R>;
  const status = { ...kind.statusOf(after), errors: numberOrNone(errors) } as StatusPatch<R>;
  return { phase, status, isNews: after.completed !== before.completed || after.failed !== before.failed };
}
