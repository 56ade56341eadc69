import { describe, expect, it } from 'vitest';
import { entryHeaders } from './entry-header.ts';
import { parseHeader } from './parse-header.ts';
import { parsePaxRecords } from './pax-records.ts';

const headerOf = entryHeaders(Date.UTC(2026, 0, 2, 3, 4, 5));

describe('the header of an entry', () => {
  it('describes a regular file, mode 0755, in POSIX format', () => {
    const block = Buffer.from(headerOf('metadata/version', 6));
    expect(block).toHaveLength(512);
    expect(block.toString('latin1', 0, 16)).toBe('metadata/version');
    expect(block.toString('latin1', 100, 124)).toBe('0000755\x000000000\x000000000\0');
    expect(block.toString('latin1', 124, 148)).toBe('00000000006\x0015125632645\0');
    expect(block.toString('latin1', 154, 157)).toBe('\0 0');
    expect(block.toString('latin1', 257, 265)).toBe('ustar\x0000');
    expect(parseHeader(block)).toEqual({ path: 'metadata/version', sizeBytes: 6, type: '0' });
  });

  it.each([
    ['100 characters', `${'d'.repeat(50)}/${'n'.repeat(49)}`, 512],
    ['101 characters that can be split', `${'d'.repeat(50)}/${'n'.repeat(50)}`, 512],
    ['the longest path that can be split', `${'d'.repeat(155)}/${'n'.repeat(100)}`, 512],
    ['a name of more than 100 characters', `d/${'n'.repeat(101)}`, 1536],
    ['directories of more than 155 characters', `${'d'.repeat(156)}/${'n'.repeat(100)}`, 1536],
    ['characters outside ASCII', 'resources/ü', 1536],
  ])('supports a path of %s', (_, path, bytes) => {
    const blocks = Buffer.from(headerOf(path, 1));
    expect(blocks).toHaveLength(bytes);
    if (bytes === 512) return expect(parseHeader(blocks)?.path).toBe(path);
    const extended = parseHeader(blocks.subarray(0, 512));
    expect(extended?.type).toBe('x');
    expect(parsePaxRecords(blocks.subarray(512, 512 + (extended?.sizeBytes ?? 0)))?.get('path')).toBe(path);
    expect(parseHeader(blocks.subarray(1024))).toMatchObject({ sizeBytes: 1, type: '0' });
  });

  it('stores a size of 8 GiB and more in an extended header', () => {
    const blocks = Buffer.from(headerOf('a', 8 ** 11));
    const extended = parseHeader(blocks.subarray(0, 512));
    const records = parsePaxRecords(blocks.subarray(512, 512 + (extended?.sizeBytes ?? 0)));
    expect(records?.get('size')).toBe('8589934592');
    expect(parseHeader(Buffer.from(headerOf('a', 8 ** 11 - 1)))?.sizeBytes).toBe(8 ** 11 - 1);
  });

  it('supports times before 1970 and far in the future', () => {
    for (const mtimeMs of [-1, Number.MAX_SAFE_INTEGER]) {
      expect(parseHeader(Buffer.from(entryHeaders(mtimeMs)('a', 1)))).toMatchObject({ path: 'a' });
    }
  });
});
