import type { Restore } from '@lateen/api-types';
import { countOf, isOpenOperation, numberOrNone, type Verdict } from '@lateen/run';
import type { RestoreItemsOutcome } from '../engine/contract.ts';

/** The totals of a run. */
export interface RestoreFigures {
  outcome: Pick<RestoreItemsOutcome, 'operations' | 'totalItems' | 'itemsRestored'>;
  /** Warnings in the log. */
  warnings: number;
  errors: number;
}

/** The phase and status of a restore when all its objects are restored (api.md section 3). Pure. */
export function restoreEnd({ outcome, warnings, errors }: RestoreFigures): Verdict<Restore> {
  const { operations, totalItems, itemsRestored } = outcome;
  const failed = countOf(operations, 'Failed');
  const isOpen = operations.some(({ status }) => isOpenOperation(status.phase));
  const base = isOpen ? 'WaitingForPluginOperations' : 'Finalizing';
  const total = errors + failed;
  return {
    phase: total > 0 ? `${base}PartiallyFailed` : base,
    patch: {
      status: {
        warnings: numberOrNone(warnings),
        errors: numberOrNone(total),
        progress: { totalItems, itemsRestored },
        restoreItemOperationsAttempted: numberOrNone(operations.length),
        restoreItemOperationsCompleted: numberOrNone(countOf(operations, 'Completed')),
        restoreItemOperationsFailed: numberOrNone(failed),
      },
    },
  };
}
