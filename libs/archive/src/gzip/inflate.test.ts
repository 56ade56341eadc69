import { gzipSync } from 'node:zlib';
import { AppError } from '@lateen/errors';
import { describe, expect, it } from 'vitest';
import { inflate as inflateOr } from './inflate.ts';

const MiB = 1024 * 1024;

const inflate = (pieces: AsyncIterable<Uint8Array>) =>
  inflateOr(pieces, (what, cause) => new AppError('FILE_BROKEN', what, { cause }));

async function* cut(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function unpacked(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const got: Uint8Array[] = [];
  for await (const piece of inflate(pieces)) got.push(piece);
  return Buffer.concat(got).toString();
}

const log = Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join('');
const packed = gzipSync(log);

describe('inflate', () => {
  it.each([1, 2, 7, 1_000, 1_000_000])('decompresses data that arrives in chunks of %d bytes', async (size) => {
    expect(await unpacked(cut(packed, size))).toBe(log);
  });

  it('decompresses concatenated members', async () => {
    expect(await unpacked(cut(Buffer.concat([gzipSync('a'), gzipSync('b')]), 3))).toBe('ab');
  });

  it('passes through data that a proxy has already decompressed, even a single byte', async () => {
    expect(await unpacked(cut(Buffer.from(log), 1_000))).toBe(log);
    expect(await unpacked(cut(Buffer.from('x'), 1))).toBe('x');
  });

  it.each<[string, Uint8Array]>([
    ['nothing at all', new Uint8Array()],
    ['a file that ends early', packed.subarray(0, packed.length - 20)],
    ['damage in the middle', Buffer.from(packed).fill(0xff, 200, 260)],
  ])('rejects %s', async (_, bytes) => {
    await expect(unpacked(cut(bytes, 100))).rejects.toMatchObject({ code: 'FILE_BROKEN' });
  });

  it('returns the error of the source', async () => {
    async function* failing() {
      yield packed.subarray(0, 50);
      throw new AppError('DOWNLOAD_BROKEN', 'the store hung up');
    }
    await expect(unpacked(failing())).rejects.toThrow('the store hung up');
  });

  it('returns small chunks of data that expands a thousand times', async () => {
    let bytes = 0;
    let longest = 0;
    for await (const { length } of inflate(cut(gzipSync(new Uint8Array(64 * MiB)), 1_000))) {
      bytes += length;
      longest = Math.max(longest, length);
    }
    expect([bytes, longest <= 64 * 1_024]).toEqual([64 * MiB, true]);
  });

  it('reads from the source only as needed, and closes it when the reader stops', async () => {
    let given = 0;
    let ended = false;
    const large = gzipSync(new Uint8Array(4 * MiB), { level: 0 });
    async function* source() {
      try {
        for await (const piece of cut(large, 1_024)) {
          given += 1;
          yield piece;
        }
      } finally {
        ended = true;
      }
    }
    for await (const _ of inflate(source())) break;
    await expect.poll(() => ended).toBe(true);
    expect(given).toBeLessThan(500);
  });
});
