import { type RestoreItemOutcome, restoreItemActs } from '@lateen/backup-store';
import { byteSize, duration, plainLine } from '@lateen/errors';
import type { RestorePlan } from '@lateen/operations/restore';
import { plainTable } from '../../output/plain-table.ts';
import { restoredObjectText } from '../describe/describe-restore.ts';

/** Lines that anybody reads; `-o json` has all. */
const shownMax = 10_000;

/** The plan for people: how many of each, volumes with their data, and the objects that are not simply created or as they should be. */
export function planLines({ backup, counts, objects }: RestorePlan, { details }: { details: boolean }): string[] {
  const summary = restoreItemActs.flatMap((act) => (counts[act] ? [`${counts[act]} ${act}`] : []));
  const wanted = objects.filter(({ act }) => details || (act !== 'create' && act !== 'unchanged'));
  const shown = wanted.slice(0, shownMax);
  const table = plainTable(['ACT', 'KIND', 'OBJECT', 'REASON', 'BY'], shown.map(cellsOf));
  return [
    `Restore of ${backup}: ${summary.join(', ') || 'no objects'}`,
    ...volumeLines(objects),
    ...(shown.length === 0 ? [] : ['', ...table]),
    ...(wanted.length > shown.length ? [`… and ${wanted.length - shown.length} more; -o json has all`] : []),
  ];
}

const cellsOf = (outcome: RestoreItemOutcome): string[] =>
  [outcome.act, outcome.kind, restoredObjectText(outcome), outcome.reason ?? '', outcome.by ?? ''].map(plainLine);

/** Claims whose data comes back, with how much there is and how long it is expected to take. */
function volumeLines(objects: readonly RestoreItemOutcome[]): string[] {
  const volumes = objects.filter(({ volumeBytes }) => volumeBytes !== undefined);
  if (volumes.length === 0) return [];
  const rows = volumes.map((volume) => [
    plainLine(restoredObjectText(volume)),
    byteSize(volume.volumeBytes ?? 0),
    volume.volumeSeconds === undefined ? '' : `about ${duration(volume.volumeSeconds * 1_000)}`,
  ]);
  const bytes = volumes.reduce((sum, { volumeBytes = 0 }) => sum + volumeBytes, 0);
  return ['', ...plainTable(['VOLUME', 'DATA', 'EXPECTED'], [...rows, ['all', byteSize(bytes), '']])];
}
