import Table from 'cli-table3';
import { secondsText } from '../report/format.ts';
import { noColours, stepTable } from '../report/print-report.ts';
import type { OrderReport } from './orders.ts';
import type { Act, ReplicatedJourneyResult } from './replicated-journey.ts';
import type { ReplicaPlaces } from './volume-view.ts';

const missingShownMax = 10;

/** The nodes of the replicas, and the robustness of the volume. */
export function placesTable(places: readonly ReplicaPlaces[]): string {
  const table = new Table({ head: ['event', 'time', 'volume', 'replicas'], ...noColours });
  for (const { when, atMs, robustness, replicas } of places)
    table.push([when, secondsText(atMs), robustness, replicas.join('\n')]);
  return table.toString();
}

/** The longest time that the customer waited while a node was lost. */
export function actTable(acts: readonly Act[]): string {
  const table = new Table({ head: ['event', 'longest time without an order'], ...noColours });
  for (const { title, longestPauseMs } of acts) table.push([title, secondsText(longestPauseMs)]);
  return table.toString();
}

/** The result: no acknowledged order may be missing. */
export function orderTable(orders: OrderReport): string {
  const table = new Table({ head: ['orders', 'number'], ...noColours });
  const shown = orders.missing.slice(0, missingShownMax).join(', ');
  table.push(
    ['acknowledged by the database', orders.acknowledged],
    ['found in the database at the end', orders.found],
    ['acknowledged and LOST', orders.missing.length === 0 ? 'none' : `${orders.missing.length}: ${shown}`],
    ['found, but not acknowledged', orders.unacknowledged],
  );
  return table.toString();
}

/** Prints the result of the journey. Returns true when orders were placed, none was lost, and nothing is left. */
export function printReplicated(result: ReplicatedJourneyResult, seconds: number): boolean {
  const { orders, acts, places, steps, leftovers } = result;
  console.log(`\n${placesTable(places)}\n\n${actTable(acts)}\n\n${orderTable(orders)}`);
  console.log(
    leftovers.length === 0
      ? 'Every page and index of the database can be read. Everything was cleaned up: no object, PersistentVolume or orphan of the volume is left.'
      : `NOT CLEANED UP: ${leftovers.join(', ')}`,
  );
  console.log(
    `\n${stepTable([...steps, { title: 'total, with starting the cluster and building images', ms: seconds * 1_000 }])}`,
  );
  const well = orders.acknowledged > 0 && orders.missing.length === 0 && leftovers.length === 0;
  console.log(`${well ? 'SUCCESS' : 'FAILED'} after ${seconds.toFixed(0)} s.`);
  return well;
}
