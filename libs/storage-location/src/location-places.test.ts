import { expect, it } from 'vitest';
import { LocationPlaces } from './location-places.ts';

it('each location has its own number of slots, and a waiter is woken when a slot is released', () => {
  const woken: string[] = [];
  const places = new LocationPlaces((request) => woken.push(request), 2);
  expect(['1', '2', '3', '4'].map((request) => places.tryTake('a', request))).toEqual([true, true, false, false]);
  expect(places.tryTake('b', '5')).toBe(true);
  places.release('1');
  expect(woken).toEqual(['3']);
  expect([places.tryTake('a', '3'), places.tryTake('a', '1')]).toEqual([true, false]);
});

it("an aborted waiter is skipped, and a request moves to another location's queue", () => {
  const woken: string[] = [];
  const places = new LocationPlaces((request) => woken.push(request), 1);
  expect(['1', '2', '3'].map((request) => places.tryTake('a', request))).toEqual([true, false, false]);
  places.release('2');
  expect(places.tryTake('b', '1')).toBe(true);
  expect(woken).toEqual(['3']);
});
