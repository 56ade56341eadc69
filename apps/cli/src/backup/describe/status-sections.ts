import type { Backup } from '@lateen/api-types';
import type { BackupOperation, ResourceIdentifier } from '@lateen/backup-store';
import { plainLine } from '@lateen/errors';
import { backupHasEnded, backupPhaseOf, type InspectedBackup } from '@lateen/operations/backup';
import { fields, indented, section } from '../../output/description.ts';
import { unreadText } from './results-sections.ts';

const unknown = '<n/a>';

/** The phase, with what to read when it is a bad one, and the place in the queue. Lines. */
export function phaseLines(backup: Backup): string[] {
  const { name, deletionTimestamp } = backup.metadata;
  const phase = backupPhaseOf(backup);
  const hint = ['Failed', 'PartiallyFailed'].includes(phase)
    ? ` (run \`lateen backup logs ${name}\` for more information)`
    : '';
  const deleting = deletionTimestamp === undefined || phase === 'Deleting' ? '' : ' (Deleting)';
  const position = backup.status?.queuePosition;
  return [`Phase:  ${phase}${hint}${deleting}`, ...(position ? ['', `Queue position:  ${position}`] : [])];
}

/** Format, times and counts. Blocks. */
export function statusSections(backup: Backup): string[][] {
  const { status = {} } = backup;
  return [
    [`Backup Format Version:  ${plainLine(status.formatVersion ?? '')}`.trimEnd()],
    fields([
      ['Started', status.startTimestamp ?? unknown],
      ['Completed', status.completionTimestamp ?? unknown],
    ]),
    [`Expiration:  ${status.expiration ?? unknown}`],
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

/** How many operations there are, and with details each of them. Lines; none when there are none. */
export function operationLines({ backup, operations }: InspectedBackup, details: boolean): string[] {
  const { status = {} } = backup;
  const { backupItemOperationsAttempted: attempted = 0, backupItemOperationsCompleted: completed = 0 } = status;
  if (attempted === 0) return [];
  const summary = `${completed} of ${attempted} completed successfully, ${status.backupItemOperationsFailed ?? 0} failed`;
  if (!details || operations === undefined)
    return [`Backup Item Operations:  ${summary} (specify --details for more information)`];
  if (operations.kind !== 'read') return [`Backup Item Operations:  ${unreadText(operations, 'operation info')}`];
  return section('Backup Item Operations', operations.value.flatMap(linesOfOperation));
}

/** As the reference's resource identifiers print themselves. */
function identifierText({ Group, Resource, Namespace, Name }: ResourceIdentifier): string {
  const resource = Group ? `${Resource}.${Group}` : Resource;
  return plainLine(`${resource} ${[Namespace, Name].filter(Boolean).join('/')}`);
}

function linesOfOperation({ spec, status }: BackupOperation): string[] {
  const { nCompleted = 0, nTotal = 0, operationUnits = '' } = status;
  const progress = nTotal > 0 || nCompleted > 0 ? `${nCompleted} of ${nTotal} complete (${operationUnits})` : '';
  const rows: [string, string | undefined][] = [
    ['Backup Item Action Plugin', spec.backupItemAction],
    ['Operation ID', spec.operationID],
    ['Items to Update', (spec.postOperationItems ?? []).map(identifierText).join(', ')],
    ['Phase', status.phase],
    ['Operation Error', status.error],
    ['Progress', progress],
    ['Progress description', status.description],
    ['Created', status.created],
    ['Started', status.started],
    ['Updated', status.updated],
  ];
  const shown = rows.flatMap(([key, value]): [string, string][] => (value ? [[key, plainLine(value)]] : []));
  return [`Operation for ${identifierText(spec.resourceIdentifier)}:`, ...indented(fields(shown))];
}

/** What was done to delete the backup, each request with its errors. Lines; none when nothing was. */
export function deletionLines({ deleteRequests }: InspectedBackup): string[] {
  if (deleteRequests.length === 0) return [];
  const failed = deleteRequests.filter(({ status }) => (status?.errors ?? []).length > 0).length;
  const lines = deleteRequests.flatMap(({ metadata, status }) => [
    `${metadata.creationTimestamp ?? ''}: ${status?.phase || 'New'}`,
    ...(status?.errors?.length ? section('Errors', status.errors.map(plainLine)) : []),
  ]);
  return section(failed === 0 ? 'Deletion Attempts' : `Deletion Attempts (${failed} failed)`, lines);
}
