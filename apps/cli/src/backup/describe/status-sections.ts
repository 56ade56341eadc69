import type { Backup } from '@lateen/api-types';
import { plainLine } from '@lateen/errors';
import { backupHasEnded, backupPhaseOf, type InspectedBackup } from '@lateen/operations/backup';
import { notKnown, timeLines } from '../../describe/run-sections.ts';
import { fields, section } from '../../output/description.ts';

/** Format, times and counts. Blocks. */
export function statusSections(backup: Backup): string[][] {
  const { status = {} } = backup;
  return [
    [`Backup Format Version:  ${plainLine(status.formatVersion ?? '')}`.trimEnd()],
    timeLines(backup),
    [`Expiration:  ${status.expiration ?? notKnown}`],
    itemLines(backup),
  ];
}

function itemLines(backup: Backup): string[] {
  const { totalItems, itemsBackedUp = 0 } = backup.status?.progress ?? {};
  if (totalItems === undefined) return [];
  const isDone = backupHasEnded(backup) || backupPhaseOf(backup) !== 'InProgress';
  return fields([
    [isDone ? 'Total items to be backed up' : 'Estimated total items to be backed up', String(totalItems)],
    [isDone ? 'Items backed up' : 'Items backed up so far', String(itemsBackedUp)],
  ]);
}

/** The requests to delete the backup, each with its errors. Lines; none without such a request. */
export function deletionLines({ deleteRequests }: InspectedBackup): string[] {
  if (deleteRequests.length === 0) return [];
  const failed = deleteRequests.filter(({ status }) => (status?.errors ?? []).length > 0).length;
  const lines = deleteRequests.flatMap(({ metadata, status }) => [
    `${metadata.creationTimestamp ?? ''}: ${status?.phase || 'New'}`,
    ...(status?.errors?.length ? section('Errors', status.errors.map(plainLine)) : []),
  ]);
  return section(failed === 0 ? 'Deletion Attempts' : `Deletion Attempts (${failed} failed)`, lines);
}
