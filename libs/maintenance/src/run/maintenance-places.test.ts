import { expect, it } from 'vitest';
import { maintenancePlaces } from './maintenance-places.ts';

it('gives slots for maintenance Jobs to the longest overdue, by its latest request', () => {
  const places = maintenancePlaces(1);
  const woken: string[] = [];
  const take = (key: string, dueMs: number) => places.tryTake(key, dueMs, () => woken.push(key));
  // A Job that another process created counts, too.
  places.force('running');
  for (const [key, dueMs] of [
    ['late', 30],
    ['early', 10],
    ['put off', 5],
    ['put off', 40],
  ] as const)
    expect(take(key, dueMs)).toBe(false);
  places.release('running');
  // A request that happens to come first does not overtake the one that waited longest.
  expect([take('late', 30), take('early', 10)]).toEqual([false, true]);
  places.release('early');
  places.release('late');
  expect(woken).toEqual(['early', 'late', 'put off']);
});
