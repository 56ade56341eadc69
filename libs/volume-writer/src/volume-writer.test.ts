import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { silentLogger, systemClock } from '@lateen/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type VolumeWriter, volumeWriter } from './volume-writer.ts';

const perl = childRunner({ program: 'perl', clock: systemClock, graceMs: 1_000 });
const given = { mode: 0o640, uid: 12, gid: 34, mtimeNs: 1_700_000_000_123_456_789n };

let volumePath: string;
let writer: VolumeWriter;
beforeEach(async () => {
  volumePath = mkdtempSync(join(tmpdir(), 'lateen-volume-'));
  writer = await volumeWriter({ volumePath, sparse: false, perl, log: silentLogger });
});
afterEach(async () => {
  await writer.close();
  rmSync(volumePath, { recursive: true });
});

const at = (path: string): string => join(volumePath, path);
const bytes = (text: string): Uint8Array => Buffer.from(text);

/** What an entry was given, as the file system has it. */
function seen(path: string) {
  const { mode, uid, gid, mtimeNs } = lstatSync(at(path), { bigint: true });
  return { mode: Number(mode & 0o7777n), uid: Number(uid), gid: Number(gid), mtimeNs };
}

describe('volumeWriter', () => {
  it('writes a tree with owners, permissions and times to the nanosecond', async () => {
    writer.makeFolder('');
    writer.makeFolder('a');
    writer.makeFolder('a/b');
    writer.writeWholeFile('a/b/f', [bytes('one '), bytes('two')], given);
    writer.writeWholeFile('a/empty', [], { ...given, mode: 0o4755 });
    writer.makeLink('a/l', '../else where', given);
    await writer.settle();
    writer.finishFolder('a/b', { ...given, mode: 0o2750 });
    writer.finishFolder('a', given);
    writer.finishFolder('', { ...given, mode: 0o1777 });
    await writer.settle();
    expect(readFileSync(at('a/b/f'), 'utf8')).toBe('one two');
    expect(readFileSync(at('a/empty'), 'utf8')).toBe('');
    expect(readlinkSync(at('a/l'))).toBe('../else where');
    expect(seen('a/b/f')).toEqual(given);
    expect(seen('a/empty')).toEqual({ ...given, mode: 0o4755 });
    expect(seen('a/l')).toEqual({ ...given, mode: 0o777 });
    expect(seen('a/b')).toEqual({ ...given, mode: 0o2750 });
    expect(seen('a')).toEqual(given);
    expect(seen('')).toEqual({ ...given, mode: 0o1777 });
    expect(writer.permissionErrors.count).toBe(0);
  });

  it('writes a large file in parts, in any order and by several writers', async () => {
    const other = await volumeWriter({ volumePath, sparse: false, perl, log: silentLogger });
    writer.beginFile('f', 9);
    other.writeAt('f', bytes('789'), 6);
    writer.writeAt('f', bytes('123'), 0);
    other.writeAt('f', bytes('456'), 3);
    other.finishFile('f', given);
    await other.settle();
    await other.close();
    expect(readFileSync(at('f'), 'utf8')).toBe('123456789');
    expect(seen('f')).toEqual(given);
  });
});

describe('what is in the way', () => {
  it('is overwritten, and nothing is written through a link', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'lateen-outside-'));
    try {
      writeFileSync(join(outside, 'f'), 'theirs');
      symlinkSync(join(outside, 'f'), at('file'));
      symlinkSync(outside, at('folder'));
      symlinkSync(outside, at('link'));
      writer.writeWholeFile('file', [bytes('ours')], given);
      writer.makeFolder('folder');
      writer.writeWholeFile('folder/f', [bytes('ours')], given);
      writer.makeLink('link', 'elsewhere', given);
      expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('theirs');
      expect(statSync(at('file')).isFile()).toBe(true);
      expect(readFileSync(at('folder/f'), 'utf8')).toBe('ours');
      expect(readlinkSync(at('link'))).toBe('elsewhere');
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('fails where a folder is in the way of a file or a link', () => {
    mkdirSync(at('x/y'), { recursive: true });
    expect(() => writer.writeWholeFile('x', [], given)).toThrow(/in the way: writing the file x failed/);
    expect(() => writer.makeLink('x', 't', given)).toThrow(/in the way: making the link x failed/);
  });
});
