import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compressionMethods } from '../format/compression-method.ts';
import { storedBytesMax } from './block-codec.ts';
import { lz4BytesMax } from './lz4-frame.ts';
import { nativeCodec } from './native-codec.ts';

const MiB = 1024 * 1024;
const { compress, decompress } = nativeCodec;
const hello = Buffer.from('hello hello hello hello');
/** Output of the lz4 tool 1.9.4 (`lz4 -B7`). */
const helloFrame = Buffer.from('04224d186440a70f0000006868656c6c6f2006005068656c6c6f00000000f26b940b', 'hex');
const filled = (bytes: number, seed: number) => {
  const data = Buffer.alloc(bytes);
  let state = seed;
  for (let at = 0; at + 4 <= bytes; at += 4) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    data.writeUInt32LE((state ^ (state << 7) ^ (state >>> 9)) >>> 0, at);
  }
  return data;
};

describe('compress', () => {
  it('compresses a block of 2 MiB with lz4 into a frame with 4 MiB blocks and a content checksum', async () => {
    const packed = await compress('lz4', filled(2 * MiB, 1));
    expect(Buffer.from(packed.subarray(0, 6)).toString('hex')).toBe('04224d186470');
    // The size that Longhorn shows for such a block: header, size, the uncompressed block, end, checksum.
    expect(packed.length).toBe(2_097_171);
  });

  it('compresses with gzip into a standard stream, and leaves data unchanged with none', async () => {
    expect(gunzipSync(await compress('gzip', hello))).toEqual(hello);
    expect(await compress('none', hello)).toBe(hello);
  });

  it.each(compressionMethods)('%s: decompresses its own output, which never exceeds the read limit', async (method) => {
    const data = fc.uint8Array({ minLength: 1, maxLength: 5_000 });
    await fc.assert(
      fc.asyncProperty(data, async (bytes) => {
        const packed = await compress(method, bytes);
        expect(packed.length).toBeLessThanOrEqual(storedBytesMax(bytes.length));
        expect(Buffer.from(await decompress(method, packed, bytes.length))).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

describe('decompress', () => {
  it('decompresses the output of other tools', async () => {
    expect(await decompress('lz4', helloFrame, hello.length)).toEqual(hello);
  });

  it('follows the header when the backup names the other method', async () => {
    expect(await decompress('gzip', helloFrame, hello.length)).toEqual(hello);
    expect(await decompress('lz4', gzipSync(hello), hello.length)).toEqual(hello);
    expect(await decompress('none', helloFrame, hello.length)).toEqual(hello);
    expect(await decompress('lz4', hello, hello.length)).toEqual(hello);
  });

  it('accepts an uncompressed block that begins like a compressed one', async () => {
    for (const method of compressionMethods)
      expect(await decompress(method, helloFrame, helloFrame.length)).toBe(helloFrame);
  });

  it.each<[string, Uint8Array, RegExp]>([
    ['nothing', Buffer.alloc(0), /neither gzip nor lz4/],
    ['unknown bytes', Buffer.from('{"a":1}'), /neither gzip nor lz4/],
    ['a truncated lz4 frame', helloFrame.subarray(0, 20), /end is missing/],
    ['a truncated gzip stream', gzipSync(hello).subarray(0, 15), /unexpected end/],
    ['an lz4 frame with a wrong checksum', Buffer.concat([helloFrame.subarray(0, -1), Buffer.of(0)]), /Checksum/],
    ['a gzip stream larger than a block', gzipSync(Buffer.alloc(100_000)), /larger than/],
  ])('%s cannot be decompressed', async (_, stored, why) => {
    await expect(decompress('lz4', stored, 1_000)).rejects.toMatchObject({
      name: 'CodecError',
      message: expect.stringMatching(why),
    });
  });

  it('does not decompress an lz4 frame that claims more than a block, however small it is', async () => {
    const packed = await compress('lz4', Buffer.alloc(32 * MiB));
    expect(lz4BytesMax(packed)).toBe(32 * MiB);
    await expect(decompress('lz4', packed, 2 * MiB)).rejects.toMatchObject({
      message: 'it holds more than a block',
    });
  });

  it('returns the block or an error, whatever is changed in the file', async () => {
    const packed = [helloFrame, gzipSync(hello)];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...packed), fc.nat(40), fc.nat(255), fc.nat(60), async (file, at, byte, end) => {
        const changed = Buffer.from(file.subarray(0, end));
        if (at < changed.length) changed[at] = byte;
        await decompress('lz4', changed, 1_000).catch((error) => expect(error.name).toBe('CodecError'));
      }),
      { numRuns: 300 },
    );
  });
});
