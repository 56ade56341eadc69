import Table from 'cli-table3';
import type { BenchRow } from './bench-row.ts';

/** Times below ten milliseconds are printed with decimals, because otherwise half a millisecond would be zero. */
const digitsOf = ({ unit, value }: BenchRow): number => {
  if (unit === 'ms') return Math.abs(value) < 10 ? 2 : 0;
  return unit === '×' ? 2 : 1;
};
const verdictOf = ({ reached }: BenchRow): string => (reached === undefined ? '' : reached ? 'reached' : 'NOT reached');

export function rowsTable(rows: readonly BenchRow[]): string {
  const table = new Table({ head: ['figure', 'value', 'target', '', 'how'], style: { head: [], border: [] } });
  for (const row of rows)
    table.push([
      row.name,
      `${row.value.toFixed(digitsOf(row))} ${row.unit}`,
      row.target ?? '',
      verdictOf(row),
      row.note ?? '',
    ]);
  return table.toString();
}

/** The same as a Markdown table, for RESULTS.md. */
export function rowsMarkdown(rows: readonly BenchRow[]): string {
  const lines = rows.map(
    (row) =>
      `| ${row.name} | ${row.value.toFixed(digitsOf(row))} ${row.unit} | ${row.target ?? ''} | ${verdictOf(row)} | ${row.note ?? ''} |`,
  );
  return ['| figure | median of 5 | target | | how |', '|---|---|---|---|---|', ...lines, ''].join('\n');
}
