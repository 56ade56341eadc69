import type { BenchRow } from '../bench-row.ts';
import type { Dataset } from './datasets.ts';
import type { MadeRepository } from './made-repository.ts';
import type { Way } from './way.ts';

export interface WayResult {
  way: Pick<Way, 'name' | 'title'>;
  latencyMs: number | undefined;
  seconds: number;
  /** Restored bytes. */
  files: number;
  /** Whether it was completed. */
  whole: boolean;
  note: string;
}

/** A target: a ratio of two ways at the same latency. */
interface Ratio {
  datasets: readonly string[];
  latencyMs: number;
  way: string;
  /** A ceiling without reads has no latency. */
  against: string;
  /** `speed`: the fraction of the ceiling's speed; `time`: the factor of its time. */
  of: 'time' | 'speed';
  limit: number;
}

/** Issue "Volumes come back at the speed of the disk", figures to reach. */
const ratios: readonly Ratio[] = [
  { datasets: ['small'], latencyMs: 0, way: 'direct', against: 'tar', of: 'time', limit: 3 },
  { datasets: ['small'], latencyMs: 30, way: 'direct', against: 'tar', of: 'time', limit: 4 },
  { datasets: ['large', 'block'], latencyMs: 30, way: 'direct', against: 'download', of: 'speed', limit: 0.8 },
  { datasets: ['small', 'large'], latencyMs: 30, way: 'direct-256', against: 'direct', of: 'time', limit: 1.3 },
];

type Measured = Pick<Dataset, 'name' | 'title' | 'mode'>;

/** A row for each result, then ratios; for interrupted ones the extrapolated time of the whole. A pure function. */
export function rowsOf(
  dataset: Measured,
  made: Pick<MadeRepository, 'files'>,
  results: readonly WayResult[],
): BenchRow[] {
  const held = ratios.filter(({ datasets }) => datasets.includes(dataset.name));
  return [...timeRows(dataset, made, results), ...held.flatMap((ratio) => ratioRow(dataset, results, ratio))];
}

function ratioRow({ title }: Measured, results: readonly WayResult[], ratio: Ratio): BenchRow[] {
  const { latencyMs, way, against, of, limit } = ratio;
  const result = (name: string) =>
    results.find((each) => each.way.name === name && each.whole && (each.latencyMs ?? latencyMs) === latencyMs);
  const [ours, theirs] = [result(way), result(against)];
  if (ours === undefined || theirs === undefined) return [];
  const value = of === 'time' ? ours.seconds / theirs.seconds : theirs.seconds / ours.seconds;
  return [
    {
      name: `${title}, ${latencyMs} ms: ${of} of ${way} / ${against}`,
      value,
      unit: '×',
      target: of === 'time' ? `at most ${limit} ×` : `at least ${limit} ×`,
      reached: of === 'time' ? value <= limit : value >= limit,
    },
  ];
}

function timeRows(
  { title, mode }: Measured,
  { files }: Pick<MadeRepository, 'files'>,
  results: readonly WayResult[],
): BenchRow[] {
  return results.map(({ way, latencyMs, seconds, whole, files: done, note }) => ({
    name: `${title}: ${way.title}${latencyMs === undefined ? '' : `, ${latencyMs} ms`}`,
    value: whole || mode === 'Block' || done === 0 ? seconds : (seconds * files) / done,
    unit: 's',
    note: whole ? note : `${note} (worked out from ${done.toLocaleString('en')} files)`,
  }));
}
