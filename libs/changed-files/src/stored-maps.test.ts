import { seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FileState } from './file-state.ts';
import { packMaps, unpackMaps } from './stored-maps.ts';

const anyRuns = fc
  .array(fc.tuple(fc.nat(99), fc.integer({ min: 1, max: 2 ** 40 }), fc.option(fc.nat(2 ** 45), { nil: undefined })))
  .map((parts) => {
    let end = 0;
    return parts.map(([gap, length, home]) => {
      const startBytes = end + gap;
      end = startBytes + length;
      return { startBytes, endBytes: end, home };
    });
  });
const anyFile: fc.Arbitrary<FileState> = fc.record({
  path: fc.string({ unit: 'grapheme' }),
  sizeBytes: fc.nat(2 ** 50),
  mtimeNs: fc.bigInt(-(2n ** 62n), 2n ** 62n),
  runs: anyRuns,
});
const byPath = (files: readonly FileState[]) =>
  files.map((file) => JSON.stringify(file, (_, v) => (typeof v === 'bigint' ? `${v}` : v))).sort();

const device = { sizeBytes: 7, fileSystemID: 'a-1' };

describe('stored maps', () => {
  it('come back as they were, without the files that did not fit', () => {
    const any = fc.property(
      fc.array(anyFile, { maxLength: 8 }),
      fc.integer({ min: 40, max: 3_000 }),
      (files, lengthMax) => {
        const { text, left } = packMaps({ device, files }, lengthMax);
        const read = unpackMaps(text);
        expect(text.length <= lengthMax || left.length === files.length).toBe(true);
        expect(read).toMatchObject({ device, leftOut: left.length });
        expect(byPath([...(read?.files ?? []), ...left])).toEqual(byPath(files));
      },
    );
    fc.assert(any, { numRuns: 200 });
  });

  it('leave out the files with the most runs', () => {
    const random = seededRandom(5);
    const runs = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        startBytes: at * 9,
        endBytes: at * 9 + 1,
        home: Math.floor(random.next() * 2 ** 30),
      }));
    const file = (path: string, count: number): FileState => ({ path, sizeBytes: 1, mtimeNs: 1n, runs: runs(count) });
    const { left } = packMaps({ device, files: [file('a', 3_000), file('b', 20), file('c', 2_000)] }, 2_048);
    expect(left.map(({ path }) => path).sort()).toEqual(['a', 'c']);
  });

  it('have room in 8 KiB for 1,100 extents anywhere on a device of 64 GiB, or for 1,600 that lie close together', () => {
    const random = seededRandom(9);
    const block = 4096;
    const blocks = (most: number) => block * (1 + Math.floor(random.next() * most));
    const fits = (count: number, home: (before: number) => number): boolean => {
      let [at, place] = [0, 2 ** 30];
      const runs = Array.from({ length: count }, () => {
        const [startBytes, endBytes] = [at, at + blocks(2_000)];
        place = home(place);
        at = endBytes;
        return { startBytes, endBytes, home: place };
      });
      // Its last block is not full.
      const file = { path: 'pg/base/16384/24576', sizeBytes: at - 5, mtimeNs: 1_764_349_000_123_456_789n, runs };
      return packMaps({ device, files: [file] }, 8_192).left.length === 0;
    };
    const anywhere = () => blocks(2 ** 24);
    const close = (before: number) => before + blocks(2 ** 12);
    expect([fits(1_100, anywhere), fits(1_250, anywhere)]).toEqual([true, false]);
    expect([fits(1_600, close), fits(1_900, close)]).toEqual([true, false]);
  });

  it('that are anything else are no maps', () => {
    const { text } = packMaps({ device, files: [] }, 100);
    for (const other of ['', '2.', '2.AAAA', text.replace('2.', '1.'), text.slice(0, -3), `${text} `])
      expect(unpackMaps(other), other).toBeUndefined();
    fc.assert(fc.property(fc.string(), (any) => unpackMaps(any) === undefined));
  });
});
