import { expect, it } from 'vitest';
import { maintenancePlaces } from './maintenance-places.ts';

it('places for maintenance Jobs go to whoever was due first, by when it says so last', () => {
  const places = maintenancePlaces(1);
  const woken: string[] = [];
  const take = (key: string, dueMs: number) => places.tryTake(key, dueMs, () => woken.push(key));
  // A Job that somebody else has made counts.
  places.force('running');
  for (const [key, dueMs] of [
    ['late', 30],
    ['early', 10],
    ['put off', 5],
    ['put off', 40],
  ] as const)
    expect(take(key, dueMs)).toBe(false);
  places.release('running');
  // Somebody who comes first by chance does not pass the one who has waited.
  expect([take('late', 30), take('early', 10)]).toEqual([false, true]);
  places.release('early');
  places.release('late');
  expect(woken).toEqual(['early', 'late', 'put off']);
});
