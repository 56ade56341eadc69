import type { VolumeWriter, WrittenSince } from '@lateen/volume-writer';
import { describe, expect, it } from 'vitest';
import { presence } from './restore-task.ts';
import { filesTarget } from './target-writer.ts';

const file = {
  path: 'f',
  isLink: false,
  sizeBytes: 4,
  attributes: { mode: 0, uid: 0, gid: 0, mtimeNs: 0n },
};

const targetOver = (content: string, { writesSparse = false, written = 'nothing' as WrittenSince } = {}) => {
  const writer: Pick<VolumeWriter, 'readAt' | 'writtenSince' | 'isUnchangedFile'> = {
    readAt: (_, into, offset) => void into.set(Buffer.from(content).subarray(offset, offset + into.length)),
    writtenSince: () => written,
    isUnchangedFile: () => true,
  };
  return filesTarget({ kind: 'files', volumePath: '/nowhere', writesSparse }, writer as VolumeWriter);
};

describe('existing files of a volume', () => {
  it.each([
    ['whole', 1n, presence.whole],
    ['unfinished', 1n, presence.unfinished],
    ['nothing', 1n, presence.none],
    ['unfinished', undefined, presence.none],
  ] as const)('are kept from an earlier attempt: %s, since %s', (written, sinceNs, expected) => {
    expect(targetOver('', { written }).presenceOf(file, { sinceNs, skipsUnchanged: false })).toBe(expected);
  });

  it('are complete when unchanged, whatever an earlier attempt recorded', () => {
    const target = targetOver('', { written: 'unfinished' });
    expect(target.presenceOf(file, { sinceNs: 1n, skipsUnchanged: true })).toBe(presence.whole);
  });

  it('contain a part when its bytes equal the content', () => {
    const target = targetOver('abcdef');
    const part = (text: string) => ({
      offset: 2,
      length: 3,
      isContent: (bytes: Uint8Array) => Buffer.from(bytes).toString() === text,
    });
    expect(target.holds('f', part('cde'))).toBe(true);
    expect(target.holds('f', part('cdx'))).toBe(false);
  });

  it('contain zeros only where a hole is allowed: sparse files are made only on request', () => {
    const part = { offset: 0, length: 4, isContent: () => true };
    expect(targetOver('\0\0\0\0').holds('f', part)).toBe(false);
    expect(targetOver('\0\0\0\0', { writesSparse: true }).holds('f', part)).toBe(true);
    expect(targetOver('\0\0\0x').holds('f', part)).toBe(true);
  });
});
