import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteRange, RangeList } from './range-list.ts';

const sizeBytes = 1000;
/** Ranges in ascending order; some touch. */
const ranges = fc.array(fc.tuple(fc.nat(12), fc.integer({ min: 1, max: 30 })), { maxLength: 60 }).map((pairs) => {
  const all: ByteRange[] = [];
  let at = 0;
  for (const [gap, length] of pairs) {
    if (at + gap + length > sizeBytes) break;
    all.push({ offset: at + gap, length });
    at += gap + length;
  }
  return all;
});
const limits = fc.record({ chunkBytes: fc.integer({ min: 1, max: 90 }), rangesMax: fc.integer({ min: 2, max: 30 }) });
const listOf = (given: readonly ByteRange[], o: { chunkBytes: number; rangesMax?: number }) => {
  const list = new RangeList({ sizeBytes, ...o });
  for (const range of given) list.add(range);
  return list;
};
const bytesOf = (given: Iterable<ByteRange>) =>
  new Set([...given].flatMap(({ offset, length }) => Array.from({ length }, (_, at) => offset + at)));

describe('a list of ranges', () => {
  it('contains exactly what was added while there is room, in as few ranges as possible', () => {
    fc.assert(
      fc.property(ranges, (given) => {
        const list = listOf(given, { chunkBytes: 64 });
        expect(bytesOf(list)).toEqual(bytesOf(given));
        expect(list.bytes).toBe(bytesOf(given).size);
        expect(list.granuleBytes).toBe(1);
        let end = -1;
        for (const { offset, length } of list) {
          expect(offset).toBeGreaterThan(end);
          end = offset + length;
        }
      }),
    );
  });

  it('never exceeds its limit, never loses added bytes, and contains none outside of the volume', () => {
    fc.assert(
      fc.property(ranges, limits, (given, o) => {
        const list = listOf(given, o);
        const held = [...list];
        expect(held.length).toBe(list.count);
        expect(held.length).toBeLessThanOrEqual(o.rangesMax);
        const heldBytes = bytesOf(held);
        expect([...bytesOf(given)].filter((at) => !heldBytes.has(at))).toEqual([]);
        let end = -1;
        for (const { offset, length } of held) {
          expect(offset).toBeGreaterThan(end);
          expect(length).toBeGreaterThan(0);
          end = offset + length;
        }
        expect(end).toBeLessThanOrEqual(sizeBytes);
      }),
    );
  });

  it('widens to whole chunks, and no further than necessary', () => {
    const list = listOf(
      Array.from({ length: 100 }, (_, at) => ({ offset: at * 10, length: 1 })),
      { chunkBytes: 20, rangesMax: 40 },
    );
    // 100 ranges of 10 do not fit, nor do chunks of 20 that all touch: one range is left.
    expect([...list]).toEqual([{ offset: 0, length: 1000 }]);
    const apart = listOf(
      [0, 100, 105, 300, 500].map((offset) => ({ offset, length: 1 })),
      { chunkBytes: 20, rangesMax: 4 },
    );
    expect(apart.granuleBytes).toBe(20);
    expect([...apart]).toEqual([0, 100, 300, 500].map((offset) => ({ offset, length: 20 })));
  });

  it('holds the worst case of a 16 TiB volume with 4 MiB chunks without widening', () => {
    const chunkBytes = 2 ** 22;
    const list = new RangeList({ sizeBytes: 2 ** 44, chunkBytes });
    for (let chunk = 0; chunk < 2 ** 22; chunk += 2) {
      list.add({ offset: chunk * chunkBytes + 512, length: 512 });
    }
    expect([list.count, list.granuleBytes]).toEqual([2 ** 21, 1]);
    list.add({ offset: 2 ** 44 - 512, length: 512 });
    expect([list.granuleBytes, list.count]).toEqual([chunkBytes, 2 ** 21]);
  });

  it.each([
    ['overlaps the last one', { offset: 15, length: 10 }],
    ['is before the last one', { offset: 0, length: 5 }],
    ['is empty', { offset: 30, length: 0 }],
    ['reaches over the end of the volume', { offset: 990, length: 11 }],
    ['begins before the volume', { offset: -1, length: 5 }],
    ['has no whole bytes', { offset: 30.5, length: 1 }],
  ])('rejects a range that %s', (_, range) => {
    const list = listOf([{ offset: 10, length: 10 }], { chunkBytes: 64 });
    expect(() => list.add(range)).toThrow(RangeError);
    expect([...list]).toEqual([{ offset: 10, length: 10 }]);
  });

  it('returns exactly what lies within a range', () => {
    const any = fc.property(ranges, limits, fc.nat(sizeBytes), fc.nat(200), (given, o, offset, length) => {
      const list = listOf(given, o);
      const expected = [...bytesOf(list)].filter((at) => at >= offset && at < offset + length);
      const found = [...list.within({ offset, length })];
      expect([...bytesOf(found)]).toEqual(expected);
      expect(found.every((range) => range.length > 0)).toBe(true);
    });
    fc.assert(any);
  });

  it('rejects a range out of order even after widening', () => {
    const given = [0, 100, 200].map((offset) => ({ offset, length: 1 }));
    const list = listOf(given, { chunkBytes: 64, rangesMax: 2 });
    expect(() => list.add({ offset: 150, length: 1 })).toThrow(RangeError);
  });
});
