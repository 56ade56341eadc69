import type { RestorePhase } from '@lateen/api-types';
import { phaseTable } from '@lateen/run';

/**
 * Which phase may follow which (api.md section 3; Canceling and Canceled are ours). A restore that no controller works on any more is
 * continued; a plan ends with its run.
 */
export const restorePhaseMoves = {
  New: ['InProgress', 'FailedValidation', 'Canceled'],
  FailedValidation: [],
  InProgress: [
    'WaitingForPluginOperations',
    'WaitingForPluginOperationsPartiallyFailed',
    'Finalizing',
    'FinalizingPartiallyFailed',
    'Completed',
    'PartiallyFailed',
    'Failed',
    'Canceling',
  ],
  WaitingForPluginOperations: [
    'WaitingForPluginOperationsPartiallyFailed',
    'Finalizing',
    'FinalizingPartiallyFailed',
    'PartiallyFailed',
    'Canceling',
  ],
  WaitingForPluginOperationsPartiallyFailed: ['FinalizingPartiallyFailed', 'PartiallyFailed', 'Canceling'],
  Finalizing: ['Completed', 'PartiallyFailed', 'Canceling'],
  FinalizingPartiallyFailed: ['PartiallyFailed', 'Canceling'],
  Completed: [],
  PartiallyFailed: [],
  Failed: [],
  Canceling: ['Canceled'],
  Canceled: [],
} as const satisfies Record<RestorePhase, readonly RestorePhase[]>;

export const restorePhaseTable = phaseTable<RestorePhase>(restorePhaseMoves);
export const { mayMove, phaseOf } = restorePhaseTable;

/** Phases in which work is being done or has to be ended. */
export const underWay: readonly RestorePhase[] = [
  'InProgress',
  'Canceling',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Finalizing',
  'FinalizingPartiallyFailed',
];
export const isUnderWay = restorePhaseTable.isIn(...underWay);
export const isNew = restorePhaseTable.isIn('New');
/** Whether it counts as running for the limit of concurrent restores: it writes objects, or may still do so. */
export const isRunning = restorePhaseTable.isIn('InProgress', 'Canceling');
/** Whether its operations are still running. */
export const isWaiting = restorePhaseTable.isIn(
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
);
export const isFinalizing = restorePhaseTable.isIn('Finalizing', 'FinalizingPartiallyFailed');
