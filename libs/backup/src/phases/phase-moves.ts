import type { BackupPhase } from '@lateen/api-types';
import { phaseTable } from '@lateen/run';

/**
 * Which phase may follow which (api.md section 2.2; Canceling and Canceled are ours). A backup whose work nobody does any more ends
 * Failed from InProgress; the phases after it are continued by whoever comes.
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

/** Work is done for it, or has to be taken back. */
export const underWay: readonly BackupPhase[] = [
  'InProgress',
  'Canceling',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Finalizing',
  'FinalizingPartiallyFailed',
];
export const isUnderWay = backupPhaseTable.isIn(...underWay);
/** Not begun: no file and no volume belongs to it yet. */
export const isUnbegun = backupPhaseTable.isIn('New', 'Queued', 'ReadyToStart');
/** Its operations are still under way. */
export const isWaiting = backupPhaseTable.isIn(
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
);
export const isFinalizing = backupPhaseTable.isIn('Finalizing', 'FinalizingPartiallyFailed');
