import type { Backup, RestoreSpec } from '@lateen/api-types';

/** The backup of a restore, or why there is none; in Velero's words (backup-and-restore.md section 11). */
export type BackupChoice = { name: string } | { error: string };

/** @param ofSchedule backups of the schedule that the restore names; `undefined`: they could not be listed. Pure. */
export function chooseBackup(
  { backupName, scheduleName }: Pick<RestoreSpec, 'backupName' | 'scheduleName'>,
  ofSchedule: readonly Backup[] | undefined,
): BackupChoice {
  if (Boolean(backupName) === Boolean(scheduleName))
    return { error: 'Either a backup or schedule must be specified as a source for the restore, but not both' };
  if (backupName) return { name: backupName };
  if (ofSchedule === undefined) return { error: 'Unable to list backups for schedule' };
  if (ofSchedule.length === 0) return { error: 'No backups found for schedule' };
  const complete = ofSchedule.filter(({ status }) => status?.phase === 'Completed');
  const newest = complete.toSorted((a, b) => startedMs(b) - startedMs(a))[0]?.metadata.name;
  return newest === undefined ? { error: 'No completed backups found for schedule' } : { name: newest };
}

const startedMs = ({ status }: Backup): number => Date.parse(status?.startTimestamp ?? '') || 0;

/** Why the phase forbids a restore: an incomplete or deleting backup. A PartiallyFailed one can be restored (after-1.18.1.md 1B). Pure. */
export function wrongWithPhase({ metadata, status }: Backup): string | undefined {
  const phase = status?.phase || 'New';
  if (phase === 'Completed' || phase === 'PartiallyFailed') return undefined;
  return `backup ${metadata.name} cannot be restored, its phase is ${phase}: only one that is Completed or PartiallyFailed can`;
}
