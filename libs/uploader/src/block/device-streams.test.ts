import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteRange, joinRanges, lengthOf } from './byte-ranges.ts';
import { MemoryDevice } from './memory-device.ts';
import { chunkBytes, readDevice } from './read-device.ts';
import { deviceWriter } from './write-device.ts';

const block = 4096;
const noise = randomBytes(4 * chunkBytes);
const never = new AbortController().signal;

/** Some size up to a few chunks, not always a multiple of anything but a sector. */
const size = fc.integer({ min: 1, max: (3.5 * chunkBytes) / 512 }).map((sectors) => sectors * 512);
const rangesIn = (end: number) =>
  fc
    .array(fc.tuple(fc.nat(end), fc.nat(end)), { maxLength: 8 })
    .map((pairs) => joinRanges(pairs.map(([a, b]) => ({ start: Math.min(a, b), end: Math.max(a, b) }))));

/** The bytes of `source` in the ranges, zero elsewhere. */
function masked(source: Buffer, ranges: readonly ByteRange[]): Buffer {
  const copy = Buffer.alloc(source.length);
  for (const { start, end } of ranges) source.copy(copy, start, start, end);
  return copy;
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

describe('readDevice', () => {
  it('returns used ranges of the device, zeros elsewhere, and reads nothing else', async () => {
    const sized = size.chain((bytes) => fc.tuple(fc.constant(bytes), rangesIn(bytes)));
    await fc.assert(
      fc.asyncProperty(sized, async ([bytes, ranges]) => {
        const device = new MemoryDevice(Buffer.from(noise.subarray(0, bytes)));
        let last = { doneBytes: 0, readBytes: 0 };
        const stream = await collect(
          readDevice(device, ranges, (progress) => {
            expect(progress.doneBytes).toBeGreaterThan(last.doneBytes);
            last = progress;
          }),
        );
        expect(stream.equals(masked(device.content, ranges))).toBe(true);
        expect(joinRanges(device.reads)).toEqual(joinRanges(ranges));
        expect(last).toEqual({ doneBytes: bytes, readBytes: lengthOf(ranges) });
      }),
      { numRuns: 60 },
    );
  });

  it('fails where reading fails, after the data before it', async () => {
    const device = new MemoryDevice(Buffer.alloc(3 * chunkBytes));
    device.brokenAt = 2 * chunkBytes + 5;
    const seen: number[] = [];
    const whole = [{ start: 0, end: device.sizeBytes }];
    const reading = collect(readDevice(device, whole, ({ doneBytes }) => seen.push(doneBytes)));
    await expect(reading).rejects.toMatchObject({ code: 'BLOCK_READ_FAILED' });
    expect(seen).toEqual([chunkBytes, 2 * chunkBytes]);
  });
});

/** Data of zero and other blocks, cut to an odd size. */
const data = fc
  .tuple(fc.array(fc.boolean(), { minLength: 1, maxLength: 600 }), fc.integer({ min: 0, max: 7 }))
  .map(([blocks, sectors]) => {
    const all = Buffer.concat(
      blocks.map((isZero, index) =>
        isZero ? Buffer.alloc(block) : noise.subarray(index * block, (index + 1) * block),
      ),
    );
    return all.subarray(0, all.length - sectors * 512);
  });

describe('deviceWriter', () => {
  it.each([
    ['that can zero by itself', true, true, false],
    ['that cannot', false, true, false],
    ['of which every block is written', false, false, false],
    ['of which what differs is written', false, true, true],
    ['of which what differs is written or zeroed by itself', true, true, true],
    ['of which what differs is written, zeroes too', true, false, true],
  ])('writes the data, and leaves nothing else, on a device %s', async (_, canPunch, skipZeroes, compares) => {
    const before = fc.constantFrom('zero', 'other');
    const cut = fc.integer({ min: 1, max: 300_000 });
    await fc.assert(
      fc.asyncProperty(data, before, cut, fc.nat(20), async (content, old, pieceBytes, spareBlocks) => {
        const total = content.length + spareBlocks * block;
        const device = new MemoryDevice(Buffer.alloc(total, old === 'zero' ? 0 : 0x5a));
        device.canPunch = canPunch;
        const writer = await deviceWriter(device, content.length, { skipZeroes, compares, signal: never });
        for (let at = 0; at < content.length; at += pieceBytes)
          await writer.write(content.subarray(at, at + pieceBytes));
        await writer.end();
        expect(device.content.subarray(0, content.length).equals(content)).toBe(true);
        const spare = Buffer.alloc(spareBlocks * block, old === 'zero' ? 0 : 0x5a);
        expect(device.content.subarray(content.length).equals(spare)).toBe(true);
        expect(writer.doneBytes).toBe(content.length);
        expect(device.flushed).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it.each([true, false])('writes no zero blocks to a new device (storage zeros itself: %s)', async (canPunch) => {
    const content = Buffer.concat([Buffer.alloc(3 * block), noise.subarray(0, block), Buffer.alloc(4 * chunkBytes)]);
    const device = new MemoryDevice(Buffer.alloc(content.length));
    device.canPunch = canPunch;
    const writer = await deviceWriter(device, content.length, { skipZeroes: true, compares: false, signal: never });
    await writer.write(content);
    await writer.end();
    expect(device.writes).toEqual([{ start: 3 * block, end: 4 * block }]);
    expect(device.reads.length === 0).toBe(canPunch);
    expect(writer.writtenBytes).toBe(block);
  });

  it('writes only chunks that differ, when it compares first', async () => {
    const device = new MemoryDevice(Buffer.from(noise));
    device.content.writeUInt8((noise[chunkBytes + 5] ?? 0) ^ 1, chunkBytes + 5);
    const writer = await deviceWriter(device, noise.length, { skipZeroes: true, compares: true, signal: never });
    await writer.write(noise);
    await writer.end();
    expect(device.content.equals(noise)).toBe(true);
    expect(device.writes).toEqual([{ start: chunkBytes, end: 2 * chunkBytes }]);
    const { comparedBytes, unchangedBytes, writtenBytes } = writer;
    expect({ comparedBytes, unchangedBytes, writtenBytes }).toEqual({
      comparedBytes: 4 * chunkBytes,
      unchangedBytes: 3 * chunkBytes,
      writtenBytes: chunkBytes,
    });
  });

  it('lets the storage zero a chunk that contained data, when it compares first', async () => {
    const device = new MemoryDevice(Buffer.from(noise.subarray(0, 2 * chunkBytes)));
    device.canPunch = true;
    const content = Buffer.concat([noise.subarray(0, chunkBytes), Buffer.alloc(chunkBytes)]);
    const writer = await deviceWriter(device, content.length, { skipZeroes: true, compares: true, signal: never });
    await writer.write(content);
    await writer.end();
    expect(device.content.equals(content)).toBe(true);
    expect(device.writes).toEqual([]);
  });

  it('writes in large aligned pieces', async () => {
    const device = new MemoryDevice(Buffer.alloc(2 * chunkBytes + block));
    const content = noise.subarray(0, device.sizeBytes);
    const writer = await deviceWriter(device, content.length, { skipZeroes: true, compares: false, signal: never });
    for (let at = 0; at < content.length; at += 65_536) await writer.write(content.subarray(at, at + 65_536));
    await writer.end();
    expect(device.writes.map(({ start }) => start)).toEqual([0, chunkBytes, 2 * chunkBytes]);
  });

  it('stops writing when it is aborted', async () => {
    const abort = new AbortController();
    const device = new MemoryDevice(Buffer.alloc(4 * chunkBytes));
    const writer = await deviceWriter(device, device.sizeBytes, {
      skipZeroes: false,
      compares: false,
      signal: abort.signal,
    });
    abort.abort(new Error('stop'));
    await expect(writer.write(noise)).rejects.toThrow('stop');
    await expect(writer.end()).rejects.toThrow('stop');
    expect(device.writes).toEqual([]);
    expect(device.flushed).toBe(false);
  });
});
