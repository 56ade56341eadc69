import { seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ChangedBytes, changedChunks } from './changed-chunks.ts';
import { ModelFileSystem } from './model-file-system.ts';

/** What differs between two devices, each range widened to granules. */
function compared(before: readonly number[], now: readonly number[], granule = 1): ChangedBytes {
  const isChanged = now.map((value, at) => {
    const first = at - (at % granule);
    return now.slice(first, first + granule).some((one, index) => one !== before[first + index]) && value !== undefined;
  });
  return {
    sizeBytes: now.length,
    *within({ offset, length }) {
      for (let at = offset; at < offset + length; at++) if (isChanged[at] === true) yield { offset: at, length: 1 };
    },
  };
}

const chunk = (content: readonly number[], index: number, chunkBytes: number): string =>
  content.slice(index * chunkBytes, (index + 1) * chunkBytes).join();

const run = (startBytes: number, endBytes: number, home?: number) => ({ startBytes, endBytes, home });
const nothing = compared(Array(100).fill(0), Array(100).fill(0));

describe('the chunks of a file that may differ', () => {
  it('contain all differences after any write, move, rename, share, punch, cut or allocation', async () => {
    const compare = async (seed: number, acts: number, chunkBytes: number, granule: number) => {
      const random = seededRandom(seed);
      const next = (below: number) => Math.floor(random.next() * below);
      const fs = new ModelFileSystem(48, next);
      for (let at = 0; at < 12; at++) fs.act();
      const before = fs.clone();
      for (let at = 0; at < acts; at++) fs.act();
      const changed = compared(before.device, fs.device, granule);
      for (const [name, { sizeBytes }] of fs.files) {
        const was = { sizeBytes: before.content(name).length, runs: before.runs(name) };
        const now = { sizeBytes, runs: fs.runs(name) };
        const found = new Set(await changedChunks({ before: was, now, changed, chunkBytes }));
        for (let index = 0; index * chunkBytes < sizeBytes; index++)
          if (!found.has(index))
            expect(chunk(fs.content(name), index, chunkBytes)).toBe(chunk(before.content(name), index, chunkBytes));
      }
    };
    const any = fc.asyncProperty(
      fc.integer(),
      fc.nat(12),
      fc.integer({ min: 1, max: 5 }),
      fc.constantFrom(1, 3),
      compare,
    );
    await fc.assert(any, { numRuns: 1_500 });
  });

  it('are only those that were written to, for writes in place', async () => {
    const before = Array.from({ length: 100 }, () => 0);
    const now = before.with(41, 1).with(79, 1);
    const file = { sizeBytes: 60, runs: [run(0, 30, 30), run(40, 60, 60)] };
    const changed = compared(before, now);
    expect(await changedChunks({ before: file, now: file, changed, chunkBytes: 8 })).toEqual([1, 7]);
  });

  it.each([
    ['another place', [run(0, 16, 40)], 16, [0, 1]],
    ['a hole now', [run(0, 8, 20)], 16, [1]],
    ['unwritten now', [run(0, 8, 20), run(8, 16)], 16, [1]],
    ['the same in two runs', [run(0, 3, 20), run(3, 16, 23)], 16, []],
    ['growth by a hole', [run(0, 16, 20)], 24, [2]],
    ['growth within a chunk', [run(0, 16, 20)], 18, [2]],
    ['the end cut off', [run(0, 16, 20)], 11, [1]],
    ['the end cut off between chunks', [run(0, 16, 20)], 8, []],
    ['beyond the end of the device', [run(0, 16, 90)], 16, [0, 1]],
  ])('%s', async (_, runs, sizeBytes, chunks) => {
    const before = { sizeBytes: 16, runs: [run(0, 16, 20)] };
    const pair = { before, now: { sizeBytes, runs }, changed: nothing, chunkBytes: 8 };
    expect(await changedChunks(pair)).toEqual(chunks);
  });

  it('include all with an unknown address, even if it is unknown in both', async () => {
    const file = { sizeBytes: 24, runs: [run(0, 8, 20), run(8, 16)] };
    expect(await changedChunks({ before: file, now: file, changed: nothing, chunkBytes: 8 })).toEqual([1]);
  });

  it('include all beyond the device, even if they are equal in both', async () => {
    const file = { sizeBytes: 24, runs: [run(0, 24, 90)] };
    expect(await changedChunks({ before: file, now: file, changed: nothing, chunkBytes: 8 })).toEqual([0, 1, 2]);
  });
});
