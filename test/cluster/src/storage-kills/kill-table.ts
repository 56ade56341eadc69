import type { StorageKillKind } from './kill-kinds.ts';

export interface StorageKillRow {
  kind: StorageKillKind;
  /** What was hit. */
  hit: string;
  /** Time from the kill, or the end of a cut or an absence, until the volume was healthy and written to. */
  healthyAfterMs: number;
}

/**
 * A pure function. One line for each kill, and one for each kind: their number, and the median and longest time until healthy, in seconds.
 */
export function killTable(rows: readonly StorageKillRow[]): string {
  const seconds = (ms: number) => (ms / 1000).toFixed(1).padStart(7);
  const lines = rows.map(({ kind, hit, healthyAfterMs }, at) =>
    [String(at + 1).padStart(4), kind.padEnd(16), seconds(healthyAfterMs), ` ${hit}`].join(' '),
  );
  const kinds = [...new Set(rows.map(({ kind }) => kind))].sort();
  const sums = kinds.map((kind) => {
    const times = rows.filter((row) => row.kind === kind).map(({ healthyAfterMs }) => healthyAfterMs);
    const sorted = times.toSorted((a, b) => a - b);
    const [middle = 0, longest = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)];
    return `${String(times.length).padStart(4)} ${kind.padEnd(16)} ${seconds(middle)} ${seconds(longest)}`;
  });
  return ['kill kind             seconds  hit', ...lines, '', 'kills of kind          middle longest', ...sums].join(
    '\n',
  );
}
