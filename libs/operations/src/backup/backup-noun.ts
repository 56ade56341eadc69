import { type Backup, type BackupPhase, backupType } from '@lateen/api-types';
import type { Noun } from '../noun/noun.ts';

export const backupNoun: Noun<Backup> = { type: backupType, word: 'backup', notFoundCode: 'BACKUP_NOT_FOUND' };

const endPhases: ReadonlySet<BackupPhase> = new Set([
  'FailedValidation',
  'Completed',
  'PartiallyFailed',
  'Failed',
  'Canceled',
]);

/** An absent or empty phase is New. */
export const backupPhaseOf = ({ status }: Pick<Backup, 'status'>): BackupPhase => status?.phase || 'New';

/** Nothing is done for it any more. One that is being deleted has ended too. */
export const backupHasEnded = (backup: Pick<Backup, 'status'>): boolean =>
  endPhases.has(backupPhaseOf(backup)) || backupPhaseOf(backup) === 'Deleting';
