import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blockBytes } from './blocks.ts';
import {
  attributesAt,
  attributesOfTests as given,
  type VolumeUnderTest,
  volumeUnderTest,
} from './volume-under-test.ts';

let volume: VolumeUnderTest;
beforeEach(async () => {
  volume = await volumeUnderTest({ sparse: true });
});
afterEach(() => volume.remove());

const allocatedBytes = (path: string): number => statSync(volume.at(path)).blocks * 512;
const data = Buffer.alloc(blockBytes, 7);
const hole = Buffer.alloc(blockBytes);

/** Runs of zeros and other data, of various lengths. */
const pieces = fc.array(
  fc
    .tuple(fc.boolean(), fc.integer({ min: 1, max: 20_000 }))
    .map(([isZero, length]) => Buffer.alloc(length, isZero ? 0 : 7)),
  { maxLength: 8 },
);

describe('WriteSparseFiles', () => {
  it('keeps every byte, whole or in parts in any order', async () => {
    const { writer } = volume;
    let count = 0;
    await fc.assert(
      fc.asyncProperty(pieces, async (all) => {
        const [whole, parts] = [`w${count}`, `p${count}`];
        count++;
        writer.writeWholeFile(whole, all, given);
        const content = Buffer.concat(all);
        writer.beginFile(parts, content.length);
        let offset = content.length;
        for (const piece of all.toReversed()) {
          offset -= piece.length;
          writer.writeAt(parts, piece, offset);
        }
        writer.finishFile(parts, given);
        await writer.settle();
        for (const path of [whole, parts]) {
          expect(readFileSync(volume.at(path)).equals(content)).toBe(true);
          expect(attributesAt(volume.at(path))).toEqual(given);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('allocates no blocks of zeros, even at the end', () => {
    volume.writer.writeWholeFile('f', [data, hole, hole, hole, data, hole], given);
    expect(statSync(volume.at('f')).size).toBe(6 * blockBytes);
    expect(allocatedBytes('f')).toBe(2 * blockBytes);
    volume.writer.beginFile('parts', 4 * blockBytes);
    volume.writer.writeAt('parts', Buffer.concat([hole, data]), 2 * blockBytes);
    expect(allocatedBytes('parts')).toBe(blockBytes);
  });

  it('makes holes where an older file had data', () => {
    volume.writer.writeWholeFile('f', [data, data], given);
    volume.writer.writeWholeFile('f', [hole, data], given);
    expect(readFileSync(volume.at('f')).equals(Buffer.concat([hole, data]))).toBe(true);
    volume.writer.beginFile('f', 2 * blockBytes);
    volume.writer.writeAt('f', hole, blockBytes);
    expect(readFileSync(volume.at('f')).equals(Buffer.concat([hole, hole]))).toBe(true);
  });

  it('writes zeros where an unfinished file has other data, and keeps its holes', () => {
    const { writer } = volume;
    writeFileSync(volume.at('f'), Buffer.concat([data, data]));
    truncateSync(volume.at('f'), 4 * blockBytes);
    writer.writeAt('f', Buffer.concat([data, hole, hole, hole]), 0, true);
    expect(readFileSync(volume.at('f')).equals(Buffer.concat([data, hole, hole, hole]))).toBe(true);
    expect(allocatedBytes('f')).toBe(2 * blockBytes);
  });

  it('is off by default', async () => {
    const plain = await volumeUnderTest();
    plain.writer.writeWholeFile('f', [hole, hole], given);
    expect(statSync(plain.at('f')).blocks * 512).toBe(2 * blockBytes);
    await plain.remove();
  });
});
