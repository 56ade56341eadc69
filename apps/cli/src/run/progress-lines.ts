import { byteSize } from '@lateen/errors';
import { age } from '@lateen/kernel';
import type { Progress, RunProgressView } from '@lateen/operations/run';
import type { MovementRow } from '@lateen/operations/volume';
import { count } from '../output/count.ts';
import { coloredPhase } from '../output/phase-color.ts';
import { plainTable } from '../output/plain-table.ts';
import { progressBar } from '../output/progress-bar.ts';

const barWidth = 20;
/** The newest matter most; the Events have all of them. */
const warningsShownMax = 5;

/** The display of a run: phase, items, volumes with their bars, operations, warnings. Lines for a terminal. */
export function progressLines(view: RunProgressView, { color }: { color: boolean }): string[] {
  return [
    [view.name, coloredPhase(view.phase, color), age(view.elapsedMs), waitText(view)].filter(Boolean).join('  '),
    ...indented(plainTable(['', ''], [itemsRow(view), volumesRow(view), operationsRow(view)].filter(isRow)).slice(1)),
    ...indented(volumeLines(view.volumes, color), '    '),
    ...view.warnings.slice(-warningsShownMax).map((warning) => `  WARNING: ${warning}`),
  ];
}

/** The most names of runs ahead of it that are shown. */
const runningShownMax = 3;

/** `position 3, behind nightly and 1 that waits`; "" when it does not wait in the queue. */
export function waitText({ queuePosition, ahead, isNotTaken }: RunProgressView): string {
  if (isNotTaken) return 'no controller has started to work on it yet; check that it runs: kubectl get pods';
  const position = queuePosition === undefined ? '' : `position ${queuePosition}`;
  const before = [runningText(ahead?.running ?? []), queuedText(ahead?.queued ?? 0)].filter(Boolean).join(' and ');
  return [position, before && `behind ${before}`].filter(Boolean).join(', ');
}

function runningText(names: readonly string[]): string {
  if (names.length === 0) return '';
  const more = names.length - runningShownMax;
  const shown = names.slice(0, runningShownMax).join(', ');
  return more > 0 ? `${shown} and ${more} more that run` : `${shown}, which ${names.length === 1 ? 'runs' : 'run'}`;
}

const queuedText = (count: number): string => (count === 0 ? '' : `${count} that ${count === 1 ? 'waits' : 'wait'}`);

/** `1234 of 5678`, with rate and remaining time if they are known. */
export function progressText({ done, total, perSecond, leftMs }: Progress, write: (amount: number) => string): string {
  const amount = total > done ? `${write(done)} of ${write(total)}` : write(done);
  const rate = perSecond === undefined ? '' : `${write(perSecond)}/s`;
  const left = leftMs === undefined ? '' : `${age(leftMs)} left`;
  return [amount, rate, left].filter(Boolean).join('  ');
}

/** The number of volumes that succeeded, and that failed. */
export function volumesText(volumes: readonly MovementRow[]): string {
  const ended = (phase: MovementRow['phase']) => volumes.filter((row) => row.phase === phase).length;
  const parts = [`${ended('Completed')} of ${volumes.length} done`];
  if (ended('Failed') > 0) parts.push(`${ended('Failed')} failed`);
  if (ended('Canceled') > 0) parts.push(`${ended('Canceled')} canceled`);
  return parts.join(', ');
}

export function operationsText({ attempted, completed, failed }: RunProgressView['operations']): string {
  const done = `${completed} of ${attempted} done`;
  return failed === 0 ? done : `${done}, ${failed} failed`;
}

const isRow = (row: readonly string[] | undefined): row is string[] => row !== undefined;
const indented = (lines: readonly string[], by = '  '): string[] => lines.map((line) => `${by}${line}`);

function itemsRow({ items }: RunProgressView): string[] | undefined {
  if (items.total === 0 && items.done === 0) return undefined;
  const bar = items.total > items.done ? `${progressBar(items.done, items.total, barWidth)}  ` : '';
  return ['Items', `${bar}${progressText(items, count)}`];
}

function volumesRow({ volumes, bytes }: RunProgressView): string[] | undefined {
  if (volumes.length === 0) return undefined;
  const moved = bytes.done + bytes.total === 0 ? '' : progressText(bytes, byteSize);
  return ['Volumes', [volumesText(volumes), moved].filter(Boolean).join('  ')];
}

function operationsRow({ operations }: RunProgressView): string[] | undefined {
  return operations.attempted === 0 ? undefined : ['Operations', operationsText(operations)];
}

/** One line per volume, with aligned columns. */
function volumeLines(volumes: readonly MovementRow[], color: boolean): string[] {
  if (volumes.length === 0) return [];
  const rows = volumes.map((row) => [row.volume, coloredPhase(row.phase, color), volumeProgress(row)]);
  return plainTable(['', '', ''], rows).slice(1);
}

function volumeProgress(row: MovementRow): string {
  const { bytesDone, totalBytes, bytesPerSecond, leftMs, phase, message } = row;
  if (phase === 'Failed' || phase === 'Canceled') return message;
  const isMoving = phase === 'InProgress' || phase === 'Canceling';
  const bar = isMoving && totalBytes > 0 ? `${progressBar(bytesDone, totalBytes, barWidth)}  ` : '';
  if (totalBytes === 0 && bytesDone === 0) return message;
  const progress: Progress = {
    done: bytesDone,
    total: totalBytes,
    ...(bytesPerSecond === undefined ? {} : { perSecond: bytesPerSecond }),
    ...(leftMs === undefined ? {} : { leftMs }),
  };
  const { filesPerSecond } = row.throughput;
  const files = isMoving && filesPerSecond !== undefined ? `  ${count(filesPerSecond)} files/s` : '';
  return `${bar}${progressText(progress, byteSize)}${files}`;
}
