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
        expect(read?.device).toEqual(device);
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

  it('that are anything else are no maps', () => {
    const { text } = packMaps({ device, files: [] }, 100);
    for (const other of ['', '1.', '1.AAAA', text.replace('1.', '2.'), text.slice(0, -3), `${text} `])
      expect(unpackMaps(other), other).toBeUndefined();
    fc.assert(fc.property(fc.string(), (any) => unpackMaps(any) === undefined));
  });
});
