import { type Backup, type BackupPhase, backupType, labels } from '@lateen/api-types';
import type { RunNoun } from '../run/run-noun.ts';

const endPhases: ReadonlySet<BackupPhase> = new Set([
  'FailedValidation',
  'Completed',
  'PartiallyFailed',
  'Failed',
  'Canceled',
]);

/** An absent or empty phase is New. */
export const backupPhaseOf = ({ status }: Pick<Backup, 'status'>): BackupPhase => status?.phase || 'New';

/** Whether all work for the backup has ended. A backup that is being deleted has ended too. */
export const backupHasEnded = (backup: Pick<Backup, 'status'>): boolean =>
  endPhases.has(backupPhaseOf(backup)) || backupPhaseOf(backup) === 'Deleting';

export const backupNoun: RunNoun<Backup> = {
  type: backupType,
  word: 'backup',
  notFoundCode: 'BACKUP_NOT_FOUND',
  deletedCode: 'BACKUP_DELETED',
  movements: { kinds: ['DataUpload', 'PodVolumeBackup'], label: labels.backupName },
  phaseOf: backupPhaseOf,
  hasEnded: backupHasEnded,
  countsOf: ({ status }) => ({
    items: { done: status?.progress?.itemsBackedUp ?? 0, total: status?.progress?.totalItems ?? 0 },
    operations: {
      attempted: status?.backupItemOperationsAttempted ?? 0,
      completed: status?.backupItemOperationsCompleted ?? 0,
      failed: status?.backupItemOperationsFailed ?? 0,
    },
  }),
};
