import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chunkCount, chunkLength, chunksIn, fixedChunkBytes, fixedChunks, unchangedChunks } from './fixed-chunks.ts';

const volume = fc.record({ sizeBytes: fc.integer({ min: 1, max: 500 }), chunkBytes: fc.integer({ min: 1, max: 120 }) });
const cuts = fc.uniqueArray(fc.nat(500), { maxLength: 30 });

/** Every other piece between the cuts. */
function rangesIn(sizeBytes: number, at: readonly number[]) {
  const sorted = at.filter((cut) => cut <= sizeBytes).toSorted((a, b) => a - b);
  return Array.from({ length: Math.floor(sorted.length / 2) }, (_, index) => {
    const [start = 0, end = 0] = sorted.slice(2 * index, 2 * index + 2);
    return { offset: start, length: end - start };
  });
}

describe('fixedChunks and unchangedChunks', () => {
  it('split the chunks of a volume: a chunk is changed when one of its bytes is in a range', () => {
    fc.assert(
      fc.property(volume, cuts, ({ sizeBytes, chunkBytes }, at) => {
        const layout = { sizeBytes, chunkBytes };
        const ranges = rangesIn(sizeBytes, at);
        const changed = [...fixedChunks(ranges, chunkBytes)];
        const unchanged = [...unchangedChunks(changed, layout)];
        const within = (runs: typeof changed, chunk: number) =>
          runs.some(({ first, end }) => first <= chunk && chunk < end);
        for (let chunk = 0; chunk < chunkCount(layout); chunk++) {
          const [offset, length] = [chunk * chunkBytes, chunkLength(chunk, layout)];
          const touched = ranges.some(
            (range) => range.offset < offset + length && offset < range.offset + range.length,
          );
          expect([within(changed, chunk), within(unchanged, chunk)]).toEqual([touched, !touched]);
        }
        expect(chunksIn(changed) + chunksIn(unchanged)).toBe(chunkCount(layout));
        for (const [index, { first, end }] of changed.entries()) {
          expect(first).toBeGreaterThan(changed[index - 1]?.end ?? -1);
          expect(end).toBeGreaterThan(first);
        }
      }),
    );
  });

  it('cut the last chunk at the end of the volume', () => {
    expect(chunkLength(2, { sizeBytes: 250, chunkBytes: 100 })).toBe(50);
  });
});

describe('fixedChunkBytes', () => {
  it.each([
    ['FIXED-4M', 4 * 2 ** 20],
    ['FIXED', 4 * 2 ** 20],
    ['FIXED-128K', 128 * 2 ** 10],
    ['DYNAMIC-4M-BUZHASH', undefined],
    ['FIXED-4M-MORE', undefined],
    ['', undefined],
  ])('%s: %s', (splitter, bytes) => expect(fixedChunkBytes(splitter)).toBe(bytes));
});
