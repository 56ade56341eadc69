import { byteSize, plainLine } from '@lateen/errors';
import { age } from '@lateen/kernel';
import type { MovementRow } from '@lateen/operations/volume';
import { count } from '../output/count.ts';
import { coloredPhase } from '../output/phase-color.ts';
import { plainTable } from '../output/plain-table.ts';
import { progressBar } from '../output/progress-bar.ts';

export interface TableOptions {
  wide: boolean;
  color: boolean;
}

interface Column {
  head: string;
  cell(row: MovementRow, options: TableOptions): string;
  /** Shown only with `-o wide`. */
  wide?: true;
  /** Shown only when a row needs it. */
  needed?(row: MovementRow): boolean;
}

const barWidth = 12;
/** Enough for the first clause of a cause; `describe` has all of it. */
const causeCharsMax = 72;

const columns: readonly Column[] = [
  { head: 'KIND', cell: (row) => row.kind },
  { head: 'NAME', cell: (row) => row.name },
  { head: 'VOLUME', cell: (row) => row.volume },
  { head: 'PHASE', cell: (row, { color }) => coloredPhase(row.phase, color) },
  { head: 'ATTEMPT', cell: (row) => String(row.attempts), needed: (row) => row.attempts > 1 },
  { head: 'PROGRESS', cell: progressOf },
  { head: 'DONE', cell: doneOf },
  { head: 'RATE', cell: (row) => (row.bytesPerSecond === undefined ? '' : `${byteSize(row.bytesPerSecond)}/s`) },
  { head: 'LEFT', cell: (row) => (row.leftMs === undefined ? '' : age(row.leftMs)) },
  { head: 'NODE', cell: (row) => row.node },
  { head: 'AGE', cell: (row) => age(row.ageMs) },
  {
    head: 'FILES/S',
    cell: ({ throughput }) => (throughput.filesPerSecond === undefined ? '' : count(throughput.filesPerSecond)),
    needed: ({ throughput }) => throughput.filesPerSecond !== undefined,
    wide: true,
  },
  {
    head: 'LIMITED BY',
    cell: ({ throughput }) => plainLine(throughput.limitedBy ?? ''),
    needed: ({ throughput }) => throughput.limitedBy !== undefined,
    wide: true,
  },
  { head: 'LOCATION', cell: (row) => row.location, wide: true },
  { head: 'CAUSE', cell: causeOf, wide: true },
];

/** The lines of the table; one line of text when it is empty. */
export function movementTable(rows: readonly MovementRow[], options: TableOptions): string[] {
  if (rows.length === 0) return ['No volume is or was moved.'];
  const shown = columns.filter(
    ({ wide, needed }) => (wide !== true || options.wide) && (needed === undefined || rows.some(needed)),
  );
  return plainTable(
    shown.map(({ head }) => head),
    rows.map((row) => shown.map(({ cell }) => cell(row, options))),
  );
}

const isMoving = ({ phase }: MovementRow): boolean => phase === 'InProgress' || phase === 'Canceling';

function progressOf(row: MovementRow): string {
  return isMoving(row) && row.totalBytes > 0 ? progressBar(row.bytesDone, row.totalBytes, barWidth) : '';
}

function doneOf(row: MovementRow): string {
  if (row.totalBytes <= 0) return row.bytesDone > 0 || row.phase === 'Completed' ? byteSize(row.bytesDone) : '';
  if (row.bytesDone >= row.totalBytes) return byteSize(row.totalBytes);
  return `${byteSize(row.bytesDone)} of ${byteSize(row.totalBytes)}`;
}

/** Why it failed or makes no progress, in one short line. */
function causeOf({ message }: MovementRow): string {
  const line = message.replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= causeCharsMax
    ? line
    : `${characters
        .slice(0, causeCharsMax - 1)
        .join('')
        .trimEnd()}…`;
}
