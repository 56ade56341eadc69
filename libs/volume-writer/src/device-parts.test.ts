import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { blockBytes, blockRuns } from './blocks.ts';
import { deviceParts } from './device-parts.ts';

const noise = randomBytes(64 * blockBytes);

let dir: string;
let devicePath: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'lateen-device-'));
  devicePath = join(dir, 'device');
});
afterEach(() => rmSync(dir, { recursive: true }));

/** Data of zero blocks and others. */
const content = fc
  .array(fc.boolean(), { minLength: 1, maxLength: 60 })
  .map((blocks) =>
    Buffer.concat(
      blocks.map((isZero, at) =>
        isZero ? Buffer.alloc(blockBytes) : noise.subarray(at * blockBytes, (at + 1) * blockBytes),
      ),
    ),
  );

/** The same bytes as parts of various lengths, in some order. */
function partsOf(bytes: Buffer, lengths: readonly number[], seed: number): { offset: number; data: Buffer }[] {
  const parts: { offset: number; data: Buffer }[] = [];
  for (let offset = 0, turn = 0; offset < bytes.length; turn++) {
    const end = Math.min(offset + (lengths[turn % lengths.length] ?? 1), bytes.length);
    parts.push({ offset, data: bytes.subarray(offset, end) });
    offset = end;
  }
  return parts.sort((a, b) => (((a.offset + 1) * seed) % 9973) - (((b.offset + 1) * seed) % 9973));
}

const lengths = fc.array(fc.integer({ min: 1, max: 70_000 }), { minLength: 1, maxLength: 5 });
const seed = fc.integer({ min: 1, max: 9972 });

describe('deviceParts', () => {
  it.each([
    ['that reads as zero', { skipsZeroes: true, readsZero: true }, 0],
    ['that contains other data', { skipsZeroes: true, readsZero: false }, 0x5a],
    ['on which every block is written', { skipsZeroes: false, readsZero: false }, 0x5a],
  ])('writes the data, and leaves nothing else, on a device %s', (_, options, before) => {
    fc.assert(
      fc.property(content, lengths, seed, (bytes, cuts, order) => {
        writeFileSync(devicePath, Buffer.alloc(bytes.length + blockBytes, before));
        const [one, other] = [deviceParts({ devicePath, ...options }), deviceParts({ devicePath, ...options })];
        for (const [index, { offset, data }] of partsOf(bytes, cuts, order).entries())
          (index % 2 === 0 ? one : other).write(data, offset);
        for (const device of [one, other]) device.close();
        const expected = Buffer.concat([bytes, Buffer.alloc(blockBytes, before)]);
        expect(readFileSync(devicePath).equals(expected)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it.each([true, false])('writes no zero blocks to a new device (known to read as zero: %s)', (readsZero) => {
    writeFileSync(devicePath, Buffer.alloc(8 * blockBytes));
    const device = deviceParts({ devicePath, skipsZeroes: true, readsZero });
    device.write(Buffer.concat([Buffer.alloc(3 * blockBytes), noise.subarray(0, blockBytes)]), 4 * blockBytes);
    device.write(Buffer.alloc(4 * blockBytes), 0);
    expect(device.writtenBytes).toBe(blockBytes);
    const read = Buffer.alloc(blockBytes);
    device.read(read, 7 * blockBytes);
    expect(read.equals(noise.subarray(0, blockBytes))).toBe(true);
    device.close();
  });

  it.each([true, false])('discards long runs of zeros, and writes them if that fails: %s', async (works) => {
    const long = 3 * 1024 * 1024;
    writeFileSync(devicePath, Buffer.alloc(long + 2 * blockBytes, 0x5a));
    const punched: [number, number][] = [];
    const punch = async (offset: number, length: number) => {
      punched.push([offset, length]);
      const bytes = readFileSync(devicePath);
      // The content after a failed discard is undefined.
      writeFileSync(devicePath, bytes.fill(works ? 0 : 0x77, offset, offset + length));
      return works;
    };
    const device = deviceParts({ devicePath, skipsZeroes: true, readsZero: false, punch });
    const data = Buffer.concat([noise.subarray(0, blockBytes), Buffer.alloc(long), noise.subarray(0, blockBytes)]);
    device.write(data, 0);
    await device.settle();
    await device.settle();
    expect(readFileSync(devicePath).equals(data)).toBe(true);
    expect(punched).toEqual([[blockBytes, long]]);
    expect(device.writtenBytes).toBe(2 * blockBytes + (works ? 0 : long));
    device.write(Buffer.alloc(long, 0x5a), blockBytes);
    device.write(Buffer.alloc(long), blockBytes);
    await device.settle();
    // A discard that failed once is not tried again.
    expect(punched).toHaveLength(works ? 2 : 1);
    expect(readFileSync(devicePath).equals(data)).toBe(true);
    device.close();
  });

  it('names device and offset of a failed write', () => {
    expect(() => deviceParts({ devicePath, skipsZeroes: true, readsZero: true })).toThrow(/device failed at offset 0/);
    writeFileSync(devicePath, Buffer.alloc(blockBytes));
    const device = deviceParts({ devicePath, skipsZeroes: true, readsZero: false });
    expect(() => device.read(Buffer.alloc(2), blockBytes - 1)).toThrow(/failed at offset 4096: it ends here/);
    device.close();
    const full = deviceParts({ devicePath: '/dev/full', skipsZeroes: false, readsZero: false });
    expect(() => full.write(noise, 5)).toThrow(/writing block device .* failed at offset 5: ENOSPC/);
    full.close();
  });
});

describe('blockRuns', () => {
  it('splits at block boundaries of the file, not of the data', () => {
    const data = Buffer.concat([Buffer.alloc(10), Buffer.alloc(blockBytes, 1), Buffer.alloc(blockBytes - 10)]);
    expect([...blockRuns(data, blockBytes - 10)]).toEqual([
      { start: 0, end: 10, isZero: true },
      { start: 10, end: blockBytes + 10, isZero: false },
      { start: blockBytes + 10, end: data.length, isZero: true },
    ]);
    expect([...blockRuns(data, 0)]).toEqual([{ start: 0, end: data.length, isZero: false }]);
    expect([...blockRuns(Buffer.alloc(0), 0)]).toEqual([]);
  });
});
