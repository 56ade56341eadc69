import { describe, expect, it } from 'vitest';
import { afterRound, afterStrain, firstPace, type Pace } from './read-pace.ts';

const limits = { first: 8, min: 2, max: 64 };

/** The limits that are tried one after the other on a store with the throughput `rateOf`. */
function walk(rateOf: (inFlight: number) => number, rounds: number, from: Pace = firstPace(limits)): Pace[] {
  const paces = [from];
  for (let round = 0; round < rounds; round++) {
    const pace = paces.at(-1) ?? from;
    paces.push(afterRound(pace, { rate: rateOf(pace.inFlight), isFull: true }, limits));
  }
  return paces;
}

const numbers = (paces: Pace[]) => paces.map(({ inFlight }) => inFlight);

describe('afterRound', () => {
  it.each<[string, (inFlight: number) => number, number[]]>([
    ['the maximum when each request adds throughput', (count) => count, [8, 16, 32, 64, 64]],
    ['the limit where more requests add nothing', (count) => Math.min(count, 20), [8, 16, 32, 64, 32, 32]],
    ['the limit where more requests reduce throughput', (count) => (count > 16 ? 5 : count), [8, 16, 32, 16, 16]],
    ['a small limit when few requests fill the link', () => 10, [8, 16, 8, 8]],
  ])('finds %s', (_, rateOf, expected) => expect(numbers(walk(rateOf, expected.length - 1))).toEqual(expected));

  it('stays near the saturation point, with small steps up and down', () => {
    const all = numbers(walk((count) => Math.min(count, 20), 300)).slice(100);
    expect(Math.min(...all)).toBeGreaterThanOrEqual(15);
    expect(Math.max(...all)).toBeLessThanOrEqual(40);
  });

  it('follows a link that has become faster', () => {
    const narrow = walk((count) => Math.min(count, 8), 20).at(-1) ?? firstPace(limits);
    const wide = numbers(walk((count) => Math.min(count, 50), 300, narrow));
    expect(wide.at(-1)).toBeGreaterThanOrEqual(40);
  });

  it('ignores a round with fewer requests in flight', () => {
    const pace = firstPace(limits);
    expect(afterRound(pace, { rate: 1_000, isFull: false }, limits)).toBe(pace);
  });
});

describe('afterStrain', () => {
  it('halves the limit, down to a minimum, and then increases it again', () => {
    let pace = walk((count) => count, 4).at(-1) ?? firstPace(limits);
    const seen: number[] = [];
    for (let strain = 0; strain < 7; strain++) {
      pace = afterStrain(pace, limits);
      seen.push(pace.inFlight);
    }
    expect(seen).toEqual([32, 16, 8, 4, 2, 2, 2]);
    expect(numbers(walk((count) => count, 400, pace)).at(-1)).toBeGreaterThanOrEqual(51);
  });
});
