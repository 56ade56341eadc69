import { byteSize } from '@lateen/errors';
import type { ObjectSummary } from '@lateen/object-store';
import Table from 'cli-table3';
import type { Step } from '../steps.ts';
import type { AspectResult } from '../tree/compare-trees.ts';
import type { VolumeWay } from '../warehouse/volume-ways.ts';
import { secondsText } from './format.ts';
import { type MovementRecord, phaseDurations, rate } from './movement-record.ts';

const examplesMax = 3;
export const noColours = { style: { head: [], border: [] } };

/** Prints what was moved, the rate, the duration of each phase, and the stored size. */
export function movementTable(records: readonly MovementRecord[]): string {
  const table = new Table({
    head: ['', 'volume size', 'new or changed', 'repository after', 'duration', 'rate', 'phases'],
    ...noColours,
  });
  for (const record of records) {
    table.push([
      record.title,
      byteSize(record.totalBytes),
      record.incrementalBytes === undefined ? '-' : byteSize(record.incrementalBytes),
      record.storedBytes === undefined ? '-' : byteSize(record.storedBytes),
      secondsText(record.endedAtMs - record.startedAtMs),
      rateText(record),
      phaseDurations(record)
        .map(({ phase, ms }) => `${phase} ${secondsText(ms)}`)
        .join('\n'),
    ]);
  }
  return table.toString();
}

/** Uses the mover's own figures when its status has them. */
function rateText(record: MovementRecord): string {
  const { bytesPerSecond = rate(record), filesPerSecond, limitedBy } = record.throughput ?? {};
  const lines = [
    bytesPerSecond === undefined ? '-' : `${byteSize(bytesPerSecond)}/s`,
    filesPerSecond === undefined ? '' : `${filesPerSecond} files/s`,
    limitedBy === undefined ? '' : `limited by ${limitedBy}`,
  ];
  return lines.filter(Boolean).join('\n');
}

/** Prints how each volume of a pod was backed up. */
export function wayTable(ways: readonly VolumeWay[]): string {
  const table = new Table({ head: ['volume of the warehouse', 'type', 'backed up by', 'reason'], ...noColours });
  for (const { volume, kind, way, why } of ways) table.push([volume, kind, way, why]);
  return table.toString();
}

/** Prints the duration of each step. */
export function stepTable(steps: readonly Step[]): string {
  const table = new Table({ head: ['step', 'duration'], ...noColours });
  for (const { title, ms } of steps) table.push([title, secondsText(ms)]);
  return table.toString();
}

/** Prints the content of a backup in the bucket. */
export function fileTable(files: readonly ObjectSummary[]): string {
  const table = new Table({ head: ['file of the backup in the bucket', 'size'], ...noColours });
  for (const { key, sizeBytes } of files) table.push([key, byteSize(sizeBytes)]);
  return table.toString();
}

/** Prints for each aspect of the restored tree: kept or wrong. */
export function comparisonTable(results: readonly AspectResult[]): string {
  const table = new Table({ head: ['restored files', 'compared', 'equal', 'result'], ...noColours });
  for (const result of results)
    table.push([
      result.aspect,
      result.compared,
      result.compared - Math.min(result.different.length, result.compared),
      verdict(result),
    ]);
  return table.toString();
}

function verdict(result: AspectResult): string {
  if (result.compared === 0 && result.different.length === 0) return 'none in this directory';
  if (result.different.length === 0) return 'equal';
  const examples = result.different.slice(0, examplesMax).join(', ');
  return `WRONG: ${examples}${result.different.length > examplesMax ? ' …' : ''}`;
}
