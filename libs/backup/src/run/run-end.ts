import type { BackupPhase, BackupStatus } from '@lateen/api-types';
import { countOf, isOpenOperation, numberOrNone } from '@lateen/run';
import type { ItemsOutcome } from '../engine/contract.ts';

/** The totals of a run. */
export interface RunFigures {
  outcome: ItemsOutcome;
  /** Warnings in the log. */
  warnings: number;
  errors: number;
}

export type EndPatch = { [K in keyof BackupStatus]?: BackupStatus[K] | null };

/** The phase and status of a backup when all its objects are stored (api.md section 2.2). Pure. */
export function runEnd({ outcome, warnings, errors }: RunFigures): { phase: BackupPhase; status: EndPatch } {
  const { operations, hooks, csiSnapshotsAttempted, nativeSnapshots, itemsBackedUp } = outcome;
  const taken = nativeSnapshots.filter(({ status }) => status.phase === 'Completed');
  const failed = countOf(operations, 'Failed');
  const isOpen = operations.some(({ status }) => isOpenOperation(status.phase));
  const base = isOpen ? 'WaitingForPluginOperations' : 'Finalizing';
  const total = errors + failed;
  return {
    phase: total > 0 ? `${base}PartiallyFailed` : base,
    status: {
      warnings: numberOrNone(warnings),
      errors: numberOrNone(total),
      // Objects that were counted while lists were read may have been skipped since: at the end both numbers are the stored objects.
      progress: { totalItems: itemsBackedUp, itemsBackedUp },
      volumeSnapshotsAttempted: numberOrNone(nativeSnapshots.length),
      volumeSnapshotsCompleted: numberOrNone(taken.length),
      csiVolumeSnapshotsAttempted: numberOrNone(csiSnapshotsAttempted),
      backupItemOperationsAttempted: numberOrNone(operations.length),
      backupItemOperationsCompleted: numberOrNone(countOf(operations, 'Completed')),
      backupItemOperationsFailed: numberOrNone(failed),
      hookStatus:
        hooks.attempted === 0
          ? null
          : { hooksAttempted: hooks.attempted, hooksFailed: numberOrNone(hooks.failed) ?? 0 },
    },
  };
}
