import type { ProcessRecord } from './process-record.ts';

/** A running process, as /proc shows it. */
export interface TableRow {
  readonly pid: number;
  readonly parentPid: number;
  readonly startTicks: string;
  readonly zombie: boolean;
  readonly argv: readonly string[];
  /** The run for which it was started, from its environment; its children inherit it. */
  readonly run?: string;
}

export type Recognised =
  | { readonly state: 'lives'; readonly pid: number; readonly startTicks: string }
  | { readonly state: 'gone' }
  /** No process has the run of a record without a pid: it may be about to appear. */
  | { readonly state: 'missing' };

/** Finds the process of a record. A pid alone proves nothing: another process may have it after a reboot or in a new container. */
export function recognise(record: ProcessRecord, table: readonly TableRow[], bootId: string): Recognised {
  const living = table.filter(({ zombie }) => !zombie);
  const { pid, startTicks } = record;
  if (pid === undefined || startTicks === undefined) {
    const [found] = rootsOf(living.filter(({ run }) => run === record.run));
    if (found === undefined) return { state: record.bootId === bootId ? 'missing' : 'gone' };
    return { state: 'lives', pid: found.pid, startTicks: found.startTicks };
  }
  const row = living.find((one) => one.pid === pid && one.startTicks === startTicks);
  const isOurs = row !== undefined && record.bootId === bootId && isRunOf(row, record, table);
  return isOurs ? { state: 'lives', pid, startTicks } : { state: 'gone' };
}

/** Processes that were started for a run without a record. They are reported, and never ended. */
export function unknownProcesses(records: readonly ProcessRecord[], table: readonly TableRow[]): readonly TableRow[] {
  const runs = new Set(records.map(({ run }) => run));
  return rootsOf(table.filter(({ run, zombie }) => !zombie && run !== undefined && !runs.has(run)));
}

/** The processes whose parent is not among them. */
function rootsOf(rows: readonly TableRow[]): readonly TableRow[] {
  const pids = new Set(rows.map(({ pid }) => pid));
  return rows.filter(({ parentPid }) => !pids.has(parentPid));
}

function isRunOf(row: TableRow, record: ProcessRecord, table: readonly TableRow[]): boolean {
  return row.run === record.run || sameArgv(row, record) || isBeingStarted(row, table);
}

/**
 * True while its program is unknown: until exec a process has the arguments of its parent, and for a moment after that the kernel shows neither
 * arguments nor environment.
 */
function isBeingStarted(row: TableRow, table: readonly TableRow[]): boolean {
  if (row.run !== undefined) return false;
  if (row.argv.length === 0) return true;
  const parent = table.find(({ pid }) => pid === row.parentPid);
  return parent !== undefined && sameArgv(row, parent);
}

const sameArgv = (row: TableRow, { argv }: Pick<ProcessRecord, 'argv'>): boolean =>
  row.argv.length === argv.length && row.argv.every((part, index) => part === argv[index]);
