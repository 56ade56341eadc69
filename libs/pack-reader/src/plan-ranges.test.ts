import { seededRandom } from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import type { PackSlice } from './pack-reader.ts';
import { partsOf, planRanges } from './plan-ranges.ts';

const slice = (packId: string, offset: number, length: number): PackSlice => ({ packId, offset, length });
const limits = { gapBytes: 10, rangeBytesMax: 100 };

describe('planRanges', () => {
  it.each<[string, PackSlice[], string[]]>([
    ['nothing', [], []],
    ['consecutive slices', [slice('a', 5, 10), slice('a', 15, 10)], ['a 5+20 of 2']],
    ['a gap that costs less than a request', [slice('a', 0, 10), slice('a', 20, 10)], ['a 0+30 of 2']],
    ['a gap that costs more than a request', [slice('a', 0, 10), slice('a', 21, 10)], ['a 0+10 of 1', 'a 21+10 of 1']],
    ['two packs', [slice('a', 0, 10), slice('b', 10, 10)], ['a 0+10 of 1', 'b 10+10 of 1']],
    ['more than the maximum of a range', [slice('a', 0, 60), slice('a', 60, 41)], ['a 0+60 of 1', 'a 60+41 of 1']],
    ['exactly the maximum of a range', [slice('a', 0, 60), slice('a', 60, 40)], ['a 0+100 of 2']],
    ['a slice larger than a range', [slice('a', 0, 500), slice('a', 500, 10)], ['a 0+500 of 1', 'a 500+10 of 1']],
    ['the same slice twice', [slice('a', 0, 10), slice('a', 0, 10)], ['a 0+10 of 2']],
    ['overlapping slices', [slice('a', 0, 50), slice('a', 10, 5), slice('a', 40, 20)], ['a 0+60 of 3']],
    ['a slice before the previous one', [slice('a', 50, 10), slice('a', 0, 10)], ['a 50+10 of 1', 'a 0+10 of 1']],
  ])('%s', (_, slices, expected) => {
    const told = planRanges(slices, limits).map(
      ({ packId, offset, length, slices: { length: count } }) => `${packId} ${offset}+${length} of ${count}`,
    );
    expect(told).toEqual(expected);
  });

  it('puts each slice completely into exactly one range, in the given order', () => {
    for (let seed = 1; seed <= 200; seed++) {
      const random = seededRandom(seed);
      const pick = (count: number) => Math.floor(random.next() * count);
      const slices = Array.from({ length: pick(60) }, () => slice('abc'.charAt(pick(3)), pick(300), 1 + pick(120)));
      if (pick(2) === 0) slices.sort((a, b) => a.packId.localeCompare(b.packId) || a.offset - b.offset);
      const ranges = planRanges(slices, limits);
      expect(ranges.flatMap((range) => range.slices)).toEqual(slices);
      for (const range of ranges) {
        const parts = partsOf(range, { slicesMax: 3, bytesMax: 50 });
        expect(parts.flatMap((part) => part.slices)).toEqual(range.slices);
        for (const whole of [range, ...parts]) {
          const { packId, offset, length, slices: held } = whole;
          expect(length <= limits.rangeBytesMax || held.length === 1, `seed ${seed}`).toBe(true);
          const inside = (each: PackSlice) =>
            each.packId === packId && each.offset >= offset && each.offset + each.length <= offset + length;
          expect(held.every(inside), `seed ${seed}`).toBe(true);
        }
      }
    }
  });
});

describe('partsOf', () => {
  it('limits parts by count and by bytes, and never splits a slice', () => {
    const slices = [slice('a', 0, 10), slice('a', 10, 10), slice('a', 20, 10), slice('a', 30, 90), slice('a', 120, 1)];
    const parts = partsOf({ packId: 'a', slices }, { slicesMax: 2, bytesMax: 50 });
    expect(parts.map(({ offset, length }) => `${offset}+${length}`)).toEqual(['0+20', '20+10', '30+90', '120+1']);
  });
});
