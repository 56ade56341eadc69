import { describe, expect, it } from 'vitest';
import { MaintenancePlaces } from './maintenance-places.ts';

function placesFor(placesMax: number) {
  const woken: string[] = [];
  return { places: new MaintenancePlaces(placesMax, (key) => woken.push(key)), woken };
}

describe('MaintenancePlaces', () => {
  it('are given as long as there are any, once to each', () => {
    const { places } = placesFor(2);
    expect([places.take('a', 1), places.take('a', 1), places.take('b', 2), places.take('c', 3)]).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([places.held, places.waiting]).toEqual([2, 1]);
  });

  it('go to whoever was due first when one becomes free', () => {
    const { places, woken } = placesFor(1);
    places.hold('a');
    places.take('late', 30);
    places.take('early', 10);
    places.leave('a');
    expect(woken).toEqual(['early']);
    // Somebody who comes first by chance does not pass the one who has waited.
    expect(places.take('late', 30)).toBe(false);
    expect(places.take('early', 10)).toBe(true);
    places.leave('early');
    expect(woken.at(-1)).toBe('late');
  });

  it('pass on when who was woken wants none any more', () => {
    const { places, woken } = placesFor(1);
    places.hold('a');
    places.take('b', 1);
    places.take('c', 2);
    places.leave('a');
    places.leave('b');
    expect(woken).toEqual(['b', 'c']);
    expect(places.take('c', 2)).toBe(true);
    expect(places.waiting).toBe(0);
  });

  it('count a Job that somebody else has made', () => {
    const { places } = placesFor(1);
    places.hold('a');
    places.hold('b');
    expect(places.held).toBe(2);
    places.leave('a');
    expect(places.take('c', 1)).toBe(false);
  });
});
