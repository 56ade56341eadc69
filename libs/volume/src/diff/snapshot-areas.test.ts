import { describe, expect, it } from 'vitest';
import { alignedAreas } from './aligned-areas.ts';
import type { Area, DataRun } from './area.ts';
import { parseFileMap } from './parse-fiemap.ts';
import { unsharedAreas } from './unshared-areas.ts';

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
const collect = (areas: AsyncIterable<Area>) => Array.fromAsync(areas);
const run = (startBytes: number, endBytes: number, home?: number): DataRun => ({ startBytes, endBytes, home });

const printed = `/state/data/snap.img:
 EXT: FILE-OFFSET      BLOCK-RANGE      TOTAL FLAGS
   0: [0..639]:        hole               640
   1: [640..679]:      192..231            40 0x2000
   2: [680..695]:      744..759            16   0x0
   3: [696..703]:      800..807             8 0x800
   4: [704..711]:      816..823             8 0x2008
   5: [712..1023]:     264..575           312 0x2001
`;

describe('the map of a file', () => {
  it('names what has data, and where it lies only where that says something', () => {
    expect(parseFileMap(printed)).toEqual({
      data: [
        run(640 * 512, 680 * 512, 192 * 512),
        run(680 * 512, 696 * 512),
        // Set aside and never written: zeros. Packed by the file system: the address is not that of the bytes.
        run(704 * 512, 712 * 512),
        run(712 * 512, 1024 * 512, 264 * 512),
      ],
      lines: 6,
      endBytes: 1024 * 512,
    });
  });
  it('of a file without data is empty', () => {
    expect(parseFileMap('/a:\n')).toEqual({ data: [], lines: 0, endBytes: 0 });
  });
  it.each(['   1: [640..679]:', '   1: [640..x]: hole 3', 'xfs_io: no'])(
    'is refused with a line such as %j',
    (line) => {
      expect(() => parseFileMap(`/a:\n head\n${line}\n`)).toThrow(expect.objectContaining({ code: 'COMMAND_FAILED' }));
    },
  );
});

describe('what two files do not share', () => {
  it.each<{ title: string; one: DataRun[]; other: DataRun[]; areas: [number, number][] }>([
    { title: 'nothing in both', one: [], other: [], areas: [] },
    { title: 'the same block', one: [run(0, 9, 100)], other: [run(0, 9, 100)], areas: [] },
    {
      title: 'the same block elsewhere',
      one: [run(0, 9, 100)],
      other: [run(9, 18, 100)],
      areas: [
        [0, 9],
        [9, 18],
      ],
    },
    { title: 'data that was punched out', one: [], other: [run(3, 9, 100)], areas: [[3, 9]] },
    { title: 'both without a home', one: [run(0, 9)], other: [run(0, 9)], areas: [[0, 9]] },
    {
      title: 'a rewritten middle',
      one: [run(0, 4, 100), run(4, 6, 500), run(6, 9, 106)],
      other: [run(0, 9, 100)],
      areas: [[4, 6]],
    },
    {
      title: 'runs cut at other places',
      one: [run(0, 4, 100), run(4, 9, 104)],
      other: [run(0, 7, 100), run(7, 9, 107)],
      areas: [],
    },
    { title: 'growth', one: [run(0, 9, 100), run(20, 30)], other: [run(0, 9, 100)], areas: [[20, 30]] },
    {
      title: 'an overlap',
      one: [run(0, 6)],
      other: [run(3, 9)],
      areas: [
        [0, 3],
        [3, 6],
        [6, 9],
      ],
    },
  ])('$title', async ({ one, other, areas }) => {
    const found = await collect(unsharedAreas(each(one), each(other)));
    expect(found.map(({ startBytes, endBytes }) => [startBytes, endBytes])).toEqual(areas);
    const swapped = await collect(unsharedAreas(each(other), each(one)));
    expect(swapped).toEqual(found);
  });
});

it('areas are widened to granules, merged where they touch, and end with the file', async () => {
  const areas = [run(1, 2), run(4, 5), run(11, 12), run(17, 19)];
  const found = await collect(alignedAreas(each(areas), { granularityBytes: 4, sizeBytes: 18 }));
  expect(found).toEqual([
    { startBytes: 0, endBytes: 12 },
    { startBytes: 16, endBytes: 18 },
  ]);
});
