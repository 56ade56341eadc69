import type { PodShell } from '../pod-shell.ts';

/** The sums that pgbench's transactions keep equal: each adds the same amount to an account, a teller, a branch and the history. */
export interface DatabaseState {
  transactions: number;
  accounts: number;
  tellers: number;
  branches: number;
  history: number;
}

const columns: readonly (keyof DatabaseState)[] = ['transactions', 'accounts', 'tellers', 'branches', 'history'];

const query = `select (select count(*) from pgbench_history),
  (select sum(abalance) from pgbench_accounts),
  (select sum(tbalance) from pgbench_tellers),
  (select sum(bbalance) from pgbench_branches),
  (select coalesce(sum(delta), 0) from pgbench_history)`;

/** Read in one transaction, so that the values are consistent although customers keep buying. */
export async function readDatabase(shell: PodShell): Promise<DatabaseState> {
  const printed = await shell.run(['psql', '--dbname=shop', '--tuples-only', '--no-align', '--command', query]);
  const values = printed.trim().split('|').map(Number);
  return Object.fromEntries(
    columns.map((column, at) => [column, values[at] ?? Number.NaN]),
  ) as unknown as DatabaseState;
}

/** SHA-256 of the output of pg_dump, except the parts that it generates anew each time. */
export async function dumpSum(shell: PodShell): Promise<string> {
  const printed = await shell.run([
    'bash',
    '-o',
    'pipefail',
    '-c',
    "pg_dump shop | grep -v -e '^.restrict ' -e '^.unrestrict ' | sha256sum",
  ]);
  return printed.split(' ')[0] ?? '';
}

/** Reads every table and index of every database, and compares each index with its table. @throws with the damage */
export async function checkPages(shell: PodShell): Promise<void> {
  await shell.run(['pg_amcheck', '--all', '--install-missing', '--heapallindexed', '--rootdescend']);
}

/** The state of a database without customers, for comparison with another. */
export interface DatabaseRecord {
  state: DatabaseState;
  dump: string;
}

export async function recordDatabase(shell: PodShell): Promise<DatabaseRecord> {
  return { state: await readDatabase(shell), dump: await dumpSum(shell) };
}

/** A pure function that returns what is wrong with a restored database; empty when nothing is. */
export function flawsOf(restored: DatabaseRecord, before: DatabaseRecord): string[] {
  const { accounts, tellers, branches, history } = restored.state;
  const sums = new Set([accounts, tellers, branches, history]);
  return [
    ...(sums.size === 1
      ? []
      : [
          `totals of the tables differ: accounts ${accounts}, tellers ${tellers}, branches ${branches}, history ${history}`,
        ]),
    ...columns
      .filter((column) => restored.state[column] !== before.state[column])
      .map((column) => `${column} ${restored.state[column]}, but before the backup it was ${before.state[column]}`),
    ...(restored.dump === before.dump ? [] : ['the output of pg_dump differs']),
  ];
}
