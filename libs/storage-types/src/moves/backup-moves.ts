import type { Backup, BackupState } from '../kinds/backup.ts';
import { type StateMoves, stateIn } from './state-moves.ts';

/** Which `status.state` of a Backup may follow which. One that was found in the target is made with its end. */
export const backupMoves = {
  '': ['Pending', 'Completed', 'Error', 'Deleting'],
  Pending: ['InProgress', 'Completed', 'Error', 'Deleting'],
  InProgress: ['Pending', 'Completed', 'Error', 'Unknown', 'Deleting'],
  Completed: ['Deleting'],
  Error: ['Deleting'],
  Unknown: ['Pending', 'InProgress', 'Completed', 'Error', 'Deleting'],
  Deleting: [],
} as const satisfies StateMoves<BackupState>;

/** An absent state reads as empty: nobody has begun with it. @throws PHASE_UNKNOWN */
export function backupStateOf({ status }: Pick<Backup, 'status'>): BackupState {
  return stateIn<BackupState>(backupMoves, status?.state ?? '');
}

/** It has ended, or is being taken away: it begins no more. @throws PHASE_UNKNOWN */
export const isBackupOver = (backup: Pick<Backup, 'status'>): boolean =>
  ['Completed', 'Error', 'Deleting'].includes(backupStateOf(backup));

/** Its transfer goes on, or may: its host does not say. @throws PHASE_UNKNOWN */
export const isBackupTransferring = (backup: Pick<Backup, 'status'>): boolean =>
  ['InProgress', 'Unknown'].includes(backupStateOf(backup));
