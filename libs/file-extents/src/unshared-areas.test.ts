import { describe, expect, it } from 'vitest';
import type { Area, DataRun } from './area.ts';
import { unsharedAreas } from './unshared-areas.ts';

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
const collect = (areas: AsyncIterable<Area>) => Array.fromAsync(areas);
const run = (startBytes: number, endBytes: number, home?: number): DataRun => ({ startBytes, endBytes, home });

describe('areas that two files do not share', () => {
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
