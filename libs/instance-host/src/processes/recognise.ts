import type { ProcessRecord } from './process-record.ts';

/** A running process, as /proc has it. */
export interface TableRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly startTicks: string;
  readonly zombie: boolean;
  readonly argv: readonly string[];
  /** The run that it was started for, from its environment; its children inherit it. */
  readonly run?: string;
}

export type Recognised =
  | { readonly state: 'lives'; readonly pid: number; readonly startTicks: string }
  | { readonly state: 'gone' }
  /** No process has the run of a record without a pid: it may be about to appear. */
  | { readonly state: 'missing' };

/** The process of a record. A pid alone is nobody's: another process may have it by now, after a new boot or in a new container. */
export function recognise(record: ProcessRecord, table: readonly TableRow[], bootId: string): Recognised {
  const living = table.filter(({ zombie }) => !zombie);
  const { pid, startTicks } = record;
  if (pid === undefined || startTicks === undefined) {
    const [found] = rootsOf(living.filter(({ run }) => run === record.run));
    if (found === undefined) return { state: record.bootId === bootId ? 'missing' : 'gone' };
    return { state: 'lives', pid: found.pid, startTicks: found.startTicks };
  }
  const row = living.find((one) => one.pid === pid && one.startTicks === startTicks);
  const isOurs = row !== undefined && record.bootId === bootId && (row.run === record.run || sameArgv(row, record));
  return isOurs ? { state: 'lives', pid, startTicks } : { state: 'gone' };
}

/** Processes that were started for a run of which there is no record. They are told of, and never ended. */
export function unknownProcesses(records: readonly ProcessRecord[], table: readonly TableRow[]): readonly TableRow[] {
  const runs = new Set(records.map(({ run }) => run));
  return rootsOf(table.filter(({ run, zombie }) => !zombie && run !== undefined && !runs.has(run)));
}

/** Without those whose parent is one of them. */
function rootsOf(rows: readonly TableRow[]): readonly TableRow[] {
  const pids = new Set(rows.map(({ pid }) => pid));
  return rows.filter(({ parentPid }) => !pids.has(parentPid));
}

const sameArgv = (row: TableRow, { argv }: ProcessRecord): boolean =>
  row.argv.length === argv.length && row.argv.every((part, index) => part === argv[index]);
