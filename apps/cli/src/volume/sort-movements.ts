import { dataMovementPhases } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { MovementRow } from '@lateen/operations/volume';

type Compare = (a: MovementRow, b: MovementRow) => number;

/** Oldest first, most complete first, largest first; phases in their usual order. */
const orders = {
  age: (a, b) => b.ageMs - a.ageMs,
  name: (a, b) => a.name.localeCompare(b.name),
  volume: (a, b) => a.volume.localeCompare(b.volume),
  phase: (a, b) => dataMovementPhases.indexOf(a.phase) - dataMovementPhases.indexOf(b.phase),
  size: (a, b) => b.totalBytes - a.totalBytes,
  progress: (a, b) => shareOf(b) - shareOf(a),
} as const satisfies Record<string, Compare>;

export const sortKeys = Object.keys(orders) as (keyof typeof orders)[];

/** @throws AppError BAD_FLAG naming the keys */
export function movementOrder(key: string): Compare {
  const found = sortKeys.find((each) => each === key);
  if (found === undefined)
    throw new AppError('BAD_FLAG', `--sort-by "${key}" is not a sort key`, {
      nextStep: `Use one of ${sortKeys.join(', ')}.`,
    });
  // Movements that are equal otherwise keep a fixed order, so that the rows of a live table do not jump.
  return (a, b) => orders[found](a, b) || orders.age(a, b) || orders.name(a, b) || a.kind.localeCompare(b.kind);
}

const shareOf = ({ bytesDone, totalBytes }: MovementRow): number => (totalBytes > 0 ? bytesDone / totalBytes : 0);
