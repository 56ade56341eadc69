import type { BenchRow } from '../bench-row.ts';
import type { MoverFigures, MoverOutcome } from './measured-mover.ts';
import type { MovementName } from './movements.ts';

export interface LimitedResult {
  title: string;
  movement: MovementName;
  isLimited: boolean;
  outcome: Pick<MoverOutcome, 'figures' | 'failure'>;
}

/** Target for an upload of small files, compared with the same without a limit. */
const timeRatioMax = 1.3;

/** A row for each movement, and one for the ratio of its time with and without the limit. A pure function. */
export function limitRows(results: readonly LimitedResult[]): BenchRow[] {
  return results.flatMap((result) => [timeRow(result), ...ratioRow(result, results)]);
}

export const isWhole = ({ figures, failure }: LimitedResult['outcome']): boolean =>
  failure === undefined && figures.killed === 0;

function timeRow({ title, movement, isLimited, outcome }: LimitedResult): BenchRow {
  const row = { value: outcome.figures.seconds, unit: 's', note: noteOf(outcome) };
  if (!isLimited) return { ...row, name: `${title}: ${movement}, no limit` };
  const target = 'one attempt, nothing killed';
  return { ...row, name: `${title}: ${movement}, within 256 MiB`, target, reached: isWhole(outcome) };
}

function ratioRow(
  { title, movement, isLimited, outcome }: LimitedResult,
  results: readonly LimitedResult[],
): BenchRow[] {
  const free = results.find((each) => each.title === title && each.movement === movement && !each.isLimited);
  if (!isLimited || free === undefined || !isWhole(outcome) || !isWhole(free.outcome)) return [];
  const value = outcome.figures.seconds / free.outcome.figures.seconds;
  const target = `at most ${timeRatioMax} ×`;
  const name = `${title}: ${movement}, within 256 MiB / no limit`;
  return [{ name, value, unit: '×', target, reached: value <= timeRatioMax }];
}

/** The result of one movement as text, also for the progress of the run. A pure function. */
export const noteOf = ({ figures, failure }: LimitedResult['outcome']): string =>
  [
    ...(figures.killed === 0 ? [] : [`${figures.killed} killed for memory`]),
    ...(failure === undefined ? [] : [failure]),
    `CPU ${figures.cpuSeconds.toFixed(1)} s`,
    `anonymous memory ${megabytes(figures.anonymousBytesMax)}`,
    `page cache ${megabytes(figures.cacheBytesMax)}`,
    `limit met ${figures.limitMet.toLocaleString('en')} times`,
  ].join('; ');

type Bytes = MoverFigures['anonymousBytesMax'];
const megabytes = (bytes: Bytes): string => `${(bytes / 1e6).toFixed(0)} MB`;
