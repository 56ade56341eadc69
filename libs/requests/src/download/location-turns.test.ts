import { expect, it } from 'vitest';
import { locationTurns } from './location-turns.ts';

it('a location has so many turns, another its own, and an ended one is free again', () => {
  const turns = locationTurns(2);
  const first = turns.take('a');
  expect(turns.take('a')).toBeDefined();
  expect(turns.take('a')).toBeUndefined();
  expect(turns.take('b')).toBeDefined();
  first?.end();
  expect(turns.take('a')).toBeDefined();
  expect(turns.take('a')).toBeUndefined();
});
