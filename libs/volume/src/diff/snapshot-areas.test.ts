import type { Area, DataRun } from '@lateen/file-extents';
import { describe, expect, it } from 'vitest';
import { alignedAreas } from './aligned-areas.ts';
import { dataRun } from './data-runs.ts';

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
const collect = (areas: AsyncIterable<Area>) => Array.fromAsync(areas);
const run = (startBytes: number, endBytes: number, home?: number): DataRun => ({ startBytes, endBytes, home });

describe('a run of data', () => {
  const extent = { startBytes: 8, endBytes: 9, isUnwritten: false };
  it('has a physical address only when other files share its blocks, because unshared blocks may be overwritten', () => {
    expect(dataRun({ ...extent, physicalBytes: 100, isShared: true })).toEqual(run(8, 9, 100));
    expect(dataRun({ ...extent, physicalBytes: 100, isShared: false })).toEqual(run(8, 9));
    expect(dataRun({ ...extent, physicalBytes: undefined, isShared: true })).toEqual(run(8, 9));
  });
});

it('aligns areas to the granularity, merges adjacent ones, and ends at the end of the file', async () => {
  const areas = [run(1, 2), run(4, 5), run(11, 12), run(17, 19)];
  const found = await collect(alignedAreas(each(areas), { granularityBytes: 4, sizeBytes: 18 }));
  expect(found).toEqual([
    { startBytes: 0, endBytes: 12 },
    { startBytes: 16, endBytes: 18 },
  ]);
});
