import type { ResourceList } from '@lateen/backup-store';
import { plainLine } from '@lateen/errors';
import type { FileRead, OutcomesRead } from '@lateen/operations/run';
import { section } from '../output/description.ts';
import { plainTable } from '../output/plain-table.ts';
import { unreadText } from './results-sections.ts';

/** Every object of a run, by kind. Lines. */
export function resourceListLines(word: string, resources: FileRead<ResourceList> | undefined): string[] {
  if (resources === undefined) return [];
  // Backups of very old releases have no resource list.
  if (resources.kind === 'missing') return [`Resource List:  <${word} resource list not found>`];
  if (resources.kind === 'failed') return [`Resource List:  ${unreadText(resources, `${word} resource list`)}`];
  const kinds = Object.entries(resources.value).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = kinds.flatMap(([kind, names]) =>
    section(
      plainLine(kind),
      names.map((name) => `- ${plainLine(name)}`),
    ),
  );
  return section('Resource List', lines);
}

/**
 * The outcomes of the items: the number of each, and the items that the flags select. Lines. @param cellsOf outcome, kind,
 * object, reason, by
 */
export function outcomeLines<O, V extends string>(
  outcomes: FileRead<OutcomesRead<O, V>> | undefined,
  cellsOf: (outcome: O) => readonly string[],
): string[] {
  // Backups of Velero have no outcomes.
  if (outcomes === undefined || outcomes.kind === 'missing') return [];
  if (outcomes.kind === 'failed') return [`Item Outcomes:  ${unreadText(outcomes, 'item outcomes')}`];
  const { counts, shown, more } = outcomes.value;
  const summary = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  const table = plainTable(
    ['OUTCOME', 'KIND', 'OBJECT', 'REASON', 'BY'],
    shown.map((outcome) => cellsOf(outcome).map(plainLine)),
  );
  return section('Item Outcomes', [
    summary.join(', ') || 'no items',
    ...(shown.length === 0 ? [] : table),
    ...(more === 0 ? [] : [`… and ${more} more; a narrower filter shows them`]),
  ]);
}
