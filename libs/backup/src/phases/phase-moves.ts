import type { BackupPhase } from '@lateen/api-types';
import { phaseTable } from '@lateen/run';

/**
 * Which phase may follow which (api.md section 2.2; Canceling and Canceled are ours). A backup that no controller works on any more ends
 * Failed when it is InProgress; from the later phases the next controller continues it.
 */
export const phaseMoves = {
  New: ['Queued', 'Canceled', 'Deleting'],
  Queued: ['ReadyToStart', 'Canceled', 'Deleting'],
  ReadyToStart: ['InProgress', 'FailedValidation', 'Canceled', 'Deleting'],
  FailedValidation: ['Deleting'],
  InProgress: [
    'WaitingForPluginOperations',
    'WaitingForPluginOperationsPartiallyFailed',
    'Finalizing',
    'FinalizingPartiallyFailed',
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
  Completed: ['Deleting'],
  PartiallyFailed: ['Deleting'],
  Failed: ['Deleting'],
  Deleting: [],
  Canceling: ['Canceled'],
  Canceled: ['Deleting'],
} as const satisfies Record<BackupPhase, readonly BackupPhase[]>;

export const backupPhaseTable = phaseTable<BackupPhase>(phaseMoves);
export const { mayMove, phaseOf } = backupPhaseTable;

/** Phases in which work is being done or has to be undone. */
export const underWay: readonly BackupPhase[] = [
  'InProgress',
  'Canceling',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Finalizing',
  'FinalizingPartiallyFailed',
];
export const isUnderWay = backupPhaseTable.isIn(...underWay);
/** Whether it has not started: no file and no volume belongs to it yet. */
export const isUnbegun = backupPhaseTable.isIn('New', 'Queued', 'ReadyToStart');
/** Whether its operations are still running. */
export const isWaiting = backupPhaseTable.isIn(
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
);
export const isFinalizing = backupPhaseTable.isIn('Finalizing', 'FinalizingPartiallyFailed');
