import { Places, type WaitingLine } from '@lateen/kernel';

/** Jobs for maintenance at the same time in the whole installation, unless told otherwise. */
export const maintenanceJobsMax = 4;

/**
 * The few places for maintenance Jobs, by repository; who asks says when its maintenance was due, in epoch ms. Lost on a
 * restart: they are filled again from the Jobs there are.
 */
export type MaintenancePlaces = Places<number>;

export const maintenancePlaces = (placesMax: number): MaintenancePlaces => new Places(placesMax, earliestDueFirst());

function earliestDueFirst(): WaitingLine<number> {
  const due = new Map<string, number>();
  return {
    get size() {
      return due.size;
    },
    add: (key, dueMs) => due.set(key, dueMs),
    remove: (key) => due.delete(key),
    next: () => {
      let first: [string, number] | undefined;
      for (const entry of due) if (first === undefined || entry[1] < first[1]) first = entry;
      if (first !== undefined) due.delete(first[0]);
      return first?.[0];
    },
  };
}
