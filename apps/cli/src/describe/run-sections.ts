import type { HookStatus } from '@lateen/api-types';
import type { BackupOperation, ResourceIdentifier, RestoreOperation } from '@lateen/backup-store';
import { plainLine } from '@lateen/errors';
import type { FileRead, Run, RunCounts, RunNoun } from '@lateen/operations/run';
import { fields, indented, section } from '../output/description.ts';
import { unreadText } from './results-sections.ts';

export const notKnown = '<n/a>';

/** The phase; for a failed run also what to read next. Lines. */
export function phaseLines<T extends Run>(noun: RunNoun<T>, run: T): string[] {
  const { name, deletionTimestamp } = run.metadata;
  const phase = noun.phaseOf(run);
  const hint = ['Failed', 'PartiallyFailed'].includes(phase)
    ? ` (run \`lateen ${noun.word} logs ${name}\` for more information)`
    : '';
  const deleting = deletionTimestamp === undefined || phase === 'Deleting' ? '' : ' (Deleting)';
  return [`Phase:  ${phase}${hint}${deleting}`];
}

/** Start and end time. Lines. */
export const timeLines = ({ status }: Run): string[] =>
  fields([
    ['Started', status?.startTimestamp ?? notKnown],
    ['Completed', status?.completionTimestamp ?? notKnown],
  ]);

/** Lines; none while the status has no hooks. */
export const hookLines = (hooks: HookStatus | null | undefined): string[] =>
  hooks
    ? fields([
        ['HooksAttempted', String(hooks.hooksAttempted ?? 0)],
        ['HooksFailed', String(hooks.hooksFailed ?? 0)],
      ])
    : [];

type Operation = BackupOperation | RestoreOperation;

/** The number of operations; with details each of them. Lines; none without operations. @param word Backup, Restore */
export function operationLines(
  word: 'Backup' | 'Restore',
  { attempted, completed, failed }: RunCounts['operations'],
  operations: FileRead<readonly Operation[]> | undefined,
  details: boolean,
): string[] {
  if (attempted === 0) return [];
  const heading = `${word} Item Operations`;
  const summary = `${completed} of ${attempted} completed successfully, ${failed} failed`;
  if (!details || operations === undefined) return [`${heading}:  ${summary} (specify --details for more information)`];
  if (operations.kind !== 'read') return [`${heading}:  ${unreadText(operations, 'operation info')}`];
  return section(
    heading,
    operations.value.flatMap((each) => linesOfOperation(word, each)),
  );
}

/** The form of Velero's resource identifiers. */
function identifierText({ Group, Resource, Namespace, Name }: ResourceIdentifier): string {
  const resource = Group ? `${Resource}.${Group}` : Resource;
  return plainLine(`${resource} ${[Namespace, Name].filter(Boolean).join('/')}`);
}

function linesOfOperation(word: string, { spec, status }: Operation): string[] {
  const { nCompleted = 0, nTotal = 0, operationUnits = '' } = status;
  const progress = nTotal > 0 || nCompleted > 0 ? `${nCompleted} of ${nTotal} complete (${operationUnits})` : '';
  const action = 'backupItemAction' in spec ? spec.backupItemAction : spec.restoreItemAction;
  const toUpdate = 'postOperationItems' in spec ? (spec.postOperationItems ?? []) : [];
  const rows: [string, string | undefined][] = [
    [`${word} Item Action Plugin`, action],
    ['Operation ID', spec.operationID],
    ['Items to Update', toUpdate.map(identifierText).join(', ')],
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
