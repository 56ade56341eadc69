import type { ItemRun } from '../../engine/item-run.ts';
import type { ItemTarget } from '../item-target.ts';

const placesOfRun = new WeakMap<ItemRun, Set<string>>();

const placeOf = ({ item, namespace = '' }: ItemTarget): string => `${item.groupResource} ${namespace}`;

/**
 * Whether the last object of the same kind and namespace existed in the cluster already: then the next one is read before it is created, which
 * takes one call instead of two for existing objects. It is only a guess; both ways give the right result.
 */
export const othersWereThere = (run: ItemRun, target: ItemTarget): boolean =>
  placesOfRun.get(run)?.has(placeOf(target)) === true;

export function noteThere(run: ItemRun, target: ItemTarget, isThere: boolean): void {
  const places = placesOfRun.get(run) ?? new Set<string>();
  if (isThere) places.add(placeOf(target));
  else places.delete(placeOf(target));
  placesOfRun.set(run, places);
}
