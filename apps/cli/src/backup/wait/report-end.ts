import type { BackupPhase } from '@lateen/api-types';
import { AppError, plainLine } from '@lateen/errors';
import { type BackupSight, backupPhaseOf } from '@lateen/operations/backup';
import type { TextOutput } from '../../output/live-line.ts';

/** Codes of errors that stand for the end of a backup; report-failure.ts gives each an exit code. */
const codes: Partial<Record<BackupPhase, string>> = {
  PartiallyFailed: 'BACKUP_PARTIALLY_FAILED',
  Failed: 'BACKUP_FAILED',
  FailedValidation: 'BACKUP_FAILED',
  Canceled: 'BACKUP_FAILED',
  Deleting: 'BACKUP_FAILED',
};

/**
 * Says how a backup has ended, in the reference's words (cli.md section 3). @param failing whether an end that is not Completed is an error
 * @throws AppError BACKUP_PARTIALLY_FAILED, BACKUP_FAILED
 */
export function reportEnd({ backup }: BackupSight, { failing }: { failing: boolean }, stdout: TextOutput): void {
  const { name } = backup.metadata;
  const phase = backupPhaseOf(backup);
  stdout.write(
    `Backup completed with status: ${phase}. You may check for more information using the commands \`lateen backup describe ${name}\` and \`lateen backup logs ${name}\`.\n`,
  );
  const code = codes[phase];
  if (failing && code !== undefined) throw new AppError(code, `backup "${name}" is ${phase}${why(backup.status)}`);
}

function why(status: BackupSight['backup']['status']): string {
  const said = status?.failureReason || (status?.validationErrors ?? []).join('; ');
  if (said !== '') return `: ${plainLine(said)}`;
  const errors = status?.errors ?? 0;
  return errors === 0 ? '' : `: ${errors} ${errors === 1 ? 'error' : 'errors'}`;
}
