import type { PodShell } from '../pod-shell.ts';

/** An order that the database has acknowledged. */
export interface AcknowledgedOrder {
  number: number;
  atMs: number;
}

/** The comparison of acknowledged orders with the database. */
export interface OrderReport {
  acknowledged: number;
  found: number;
  /** Acknowledged, and not in the database: lost. */
  missing: number[];
  /** In the database, and never acknowledged; the order in progress at the end may be one. */
  unacknowledged: number;
}

/** Parses the output of the customer: `<number> <milliseconds since 1970>` for each order. Ignores other lines. */
export function parseOrders(log: string): AcknowledgedOrder[] {
  return [...log.matchAll(/^(\d+) (\d+)$/gm)].map(([, number, atMs]) => ({
    number: Number(number),
    atMs: Number(atMs),
  }));
}

export function orderReport(acknowledged: readonly AcknowledgedOrder[], found: ReadonlySet<number>): OrderReport {
  const known = new Set(acknowledged.map(({ number }) => number));
  return {
    acknowledged: known.size,
    found: found.size,
    missing: [...known].filter((number) => !found.has(number)),
    unacknowledged: [...found].filter((number) => !known.has(number)).length,
  };
}

/** The longest time without an acknowledged order between two moments, in milliseconds; start and end count. */
export function longestPauseMs(orders: readonly AcknowledgedOrder[], fromMs: number, toMs: number): number {
  const moments = orders.map(({ atMs }) => atMs).filter((atMs) => atMs > fromMs && atMs < toMs);
  const edges = [fromMs, ...moments.toSorted((a, b) => a - b), toMs];
  return Math.max(...edges.slice(1).map((edge, at) => edge - (edges[at] ?? fromMs)));
}

/** The table of orders. */
export async function createOrders(database: PodShell): Promise<void> {
  const columns = 'number bigint primary key, placed_at timestamptz not null default now()';
  await database.run(['psql', '--dbname=shop', '--quiet', '--command', `create table orders (${columns})`]);
}

/** The numbers of all orders in the database. */
export async function readOrders(database: PodShell): Promise<Set<number>> {
  const query = 'select number from orders';
  const printed = await database.run(['psql', '--dbname=shop', '--tuples-only', '--no-align', '--command', query]);
  return new Set(printed.split('\n').filter(Boolean).map(Number));
}
