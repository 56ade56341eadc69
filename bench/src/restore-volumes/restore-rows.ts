import type { BenchRow } from '../bench-row.ts';
import type { Dataset } from './datasets.ts';
import type { MadeRepository } from './made-repository.ts';
import type { Way } from './way.ts';

export interface WayResult {
  way: Pick<Way, 'name' | 'title'>;
  latencyMs: number | undefined;
  seconds: number;
  /** Restored. */
  files: number;
  /** It came to its end. */
  whole: boolean;
  note: string;
}

/** A row for each result; of those that did not end, the time that the whole would have taken at their rate. Pure. */
export function rowsOf(
  { title, mode }: Pick<Dataset, 'title' | 'mode'>,
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
