import { expect, it } from 'vitest';
import { LocationPlaces } from './location-places.ts';

it('a location has so many places, another its own, and who waits is woken when one is given back', () => {
  const woken: string[] = [];
  const places = new LocationPlaces((request) => woken.push(request), 2);
  expect(['1', '2', '3', '4'].map((request) => places.tryTake('a', request))).toEqual([true, true, false, false]);
  expect(places.tryTake('b', '5')).toBe(true);
  places.release('1');
  expect(woken).toEqual(['3']);
  expect([places.tryTake('a', '3'), places.tryTake('a', '1')]).toEqual([true, false]);
});

it('who gives up its turn is passed over, and a request that asks for another location leaves the first', () => {
  const woken: string[] = [];
  const places = new LocationPlaces((request) => woken.push(request), 1);
  expect(['1', '2', '3'].map((request) => places.tryTake('a', request))).toEqual([true, false, false]);
  places.release('2');
  expect(places.tryTake('b', '1')).toBe(true);
  expect(woken).toEqual(['3']);
});
