import { type Backup, type BackupPhase, backupPhases } from '@lateen/api-types';
import { AppError } from '@lateen/errors';

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

export function mayMove(from: BackupPhase, to: BackupPhase): boolean {
  return (phaseMoves[from] as readonly BackupPhase[]).includes(to);
}

/** An absent or empty phase reads as New. @throws PHASE_UNKNOWN for a phase of a later version */
export function phaseOf({ status }: Pick<Backup, 'status'>): BackupPhase {
  const phase: string = status?.phase ?? '';
  if (phase === '') return 'New';
  const known = backupPhases.find((each) => each === phase);
  if (known === undefined) throw new AppError('PHASE_UNKNOWN', `the phase "${phase}" is not known to this version`);
  return known;
}

const phasesOf = (...phases: BackupPhase[]) => {
  const set: ReadonlySet<BackupPhase> = new Set(phases);
  return (backup: Pick<Backup, 'status'>): boolean => set.has(phaseOf(backup));
};

/** Not begun: no file and no volume belongs to it yet. */
export const isUnbegun = phasesOf('New', 'Queued', 'ReadyToStart');
/** Has a place among those that run at the same time. */
export const isRunning = phasesOf('ReadyToStart', 'InProgress', 'Canceling');
/** Its operations are still under way. */
export const isWaiting = phasesOf('WaitingForPluginOperations', 'WaitingForPluginOperationsPartiallyFailed');
export const isFinalizing = phasesOf('Finalizing', 'FinalizingPartiallyFailed');
/** Work is done for it, or has to be taken back. */
export const isUnderWay = phasesOf(
  'InProgress',
  'Canceling',
  'WaitingForPluginOperations',
  'WaitingForPluginOperationsPartiallyFailed',
  'Finalizing',
  'FinalizingPartiallyFailed',
);
