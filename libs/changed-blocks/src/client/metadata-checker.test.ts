import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockMetadataType } from '../generated/snapshot-metadata.ts';
import { type MetadataAnswer, MetadataChecker } from './metadata-checker.ts';
import { blocks } from './metadata-server-for-tests.ts';

const sizeBytes = 1000;
const checker = () => new MetadataChecker({ sizeBytes, chunkBytes: 64 });
const fixed = (...pairs: readonly (readonly [number, number])[]): MetadataAnswer => ({
  ...blocks(sizeBytes, ...pairs),
  blockMetadataType: BlockMetadataType.FIXED_LENGTH,
});
const variable = (...pairs: readonly (readonly [number, number])[]) => blocks(sizeBytes, ...pairs);

/** The ranges of streams, each begun where the one before it was broken off. */
function rangesOf(...streams: readonly (readonly MetadataAnswer[])[]) {
  const believed = checker();
  for (const stream of streams) {
    believed.begin();
    for (const answer of stream) believed.take(answer);
  }
  return [...believed.finished()].map(({ offset, length }) => [offset, length]);
}

describe('answers of a SnapshotMetadata service', () => {
  it.each([
    [
      'blocks that touch are one range',
      [[variable([0, 10], [10, 10], [30, 5])]],
      [
        [0, 20],
        [30, 5],
      ],
    ],
    ['messages go on where the one before ended', [[variable([0, 10]), variable(), variable([10, 1])]], [[0, 11]]],
    ['nothing has changed', [[variable()]], []],
    [
      'blocks of fixed length',
      [[fixed([0, 100], [300, 100])]],
      [
        [0, 100],
        [300, 100],
      ],
    ],
    [
      'a last block of fixed length that reaches over the end',
      [[fixed([0, 300], [900, 300])]],
      [
        [0, 300],
        [900, 100],
      ],
    ],
    [
      'a last block of fixed length that is cut',
      [[fixed([0, 300], [900, 100])]],
      [
        [0, 300],
        [900, 100],
      ],
    ],
    [
      'a stream that continues, and begins with a whole block around the offset',
      [[variable([0, 10], [20, 10])], [variable([16, 32], [60, 4])]],
      [
        [0, 10],
        [20, 28],
        [60, 4],
      ],
    ],
  ] as const)('are accepted: %s', (_, streams, ranges) => {
    expect(rangesOf(...streams)).toEqual(ranges);
  });

  it('give the same result however often a stream breaks', () => {
    const pieces = fc.uniqueArray(fc.nat(sizeBytes), { minLength: 2, maxLength: 40 }).map((cuts) => {
      const sorted = cuts.toSorted((a, b) => a - b);
      return sorted.flatMap((start, at): [number, number][] => {
        const end = sorted[at + 1];
        return at % 2 === 0 && end !== undefined ? [[start, end - start]] : [];
      });
    });
    fc.assert(
      fc.property(pieces, fc.array(fc.nat(20), { maxLength: 8 }), (all, breaks) => {
        const streams: MetadataAnswer[][] = [];
        let rest: [number, number][] = [...all];
        for (const count of breaks) streams.push([variable(...rest.splice(0, count))]);
        rest = rest.slice();
        expect(rangesOf(...streams, [variable(...rest)])).toEqual(rangesOf([variable(...all)]));
      }),
    );
  });

  const wrong: [string, MetadataAnswer[], string][] = [
    ['a volume of another size', [blocks(999)], 'DELTA_SIZE_DIFFERS'],
    ['a size that changes on the way', [variable([0, 10]), blocks(2000, [10, 10])], 'DELTA_SIZE_DIFFERS'],
    ['blocks out of order', [variable([50, 10], [0, 10])], 'DELTA_OUT_OF_ORDER'],
    ['blocks out of order in two messages', [variable([50, 10]), variable([0, 10])], 'DELTA_OUT_OF_ORDER'],
    ['the same block twice', [variable([50, 10], [50, 10])], 'DELTA_OUT_OF_ORDER'],
    ['blocks that overlap', [variable([50, 10], [55, 10])], 'DELTA_OVERLAPPING'],
    ['a block over the end', [variable([990, 11])], 'DELTA_BEYOND_END'],
    ['a block behind the end', [variable([1000, 1])], 'DELTA_BEYOND_END'],
    ['a block of fixed length behind the end', [fixed([1200, 300])], 'DELTA_BEYOND_END'],
    ['a block that is empty', [variable([10, 0])], 'DELTA_ANSWER_WRONG'],
    ['a block before the volume', [variable([-1, 10])], 'DELTA_ANSWER_WRONG'],
    ['a block of negative size', [variable([10, -5])], 'DELTA_ANSWER_WRONG'],
    ['blocks of fixed length that differ', [fixed([0, 100], [200, 50])], 'DELTA_ANSWER_WRONG'],
    ['a type that changes', [variable([0, 10]), fixed([10, 10])], 'DELTA_ANSWER_WRONG'],
    ['no type', [{ ...variable(), blockMetadataType: BlockMetadataType.UNKNOWN }], 'DELTA_ANSWER_WRONG'],
    ['no message', [], 'DELTA_ANSWER_WRONG'],
  ];
  it.each(wrong)('are rejected with %s', (_, answers, code) => {
    expect(() => rangesOf(answers)).toThrow(expect.objectContaining({ code }));
  });

  it('are rejected when a resumed stream repeats ranges', () => {
    expect(() => rangesOf([variable([0, 10], [20, 10])], [variable([0, 10])])).toThrow(
      expect.objectContaining({ code: 'DELTA_OUT_OF_ORDER' }),
    );
  });
});
