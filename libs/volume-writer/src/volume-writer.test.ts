import { chmodSync, chownSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  attributesAt,
  attributesOfTests as given,
  type VolumeUnderTest,
  volumeUnderTest,
} from './volume-under-test.ts';

let volume: VolumeUnderTest;
beforeEach(async () => {
  volume = await volumeUnderTest();
});
afterEach(() => volume.remove());

const bytes = (text: string): Uint8Array => Buffer.from(text);
const textAt = (path: string): string => readFileSync(volume.at(path), 'utf8');
/** The path of an open descriptor of this process; undefined when it is closed. */
function targetOf(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}
const seen = (path: string) => attributesAt(volume.at(path));

describe('volumeWriter', () => {
  it('writes the target of a link unchanged, even if it is not text', () => {
    const target = Buffer.from([0x2f, 0xff, 0x80, 0x61]);
    volume.writer.makeLink('l', target, given);
    expect(readlinkSync(volume.at('l'), { encoding: 'buffer' })).toEqual(target);
  });

  it('writes a tree with owners, permissions and times to the nanosecond', async () => {
    const { writer } = volume;
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
    expect([textAt('a/b/f'), textAt('a/empty')]).toEqual(['one two', '']);
    expect(readlinkSync(volume.at('a/l'))).toBe('../else where');
    expect(seen('a/b/f')).toEqual(given);
    expect(seen('a/empty')).toEqual({ ...given, mode: 0o4755 });
    expect(seen('a/l')).toEqual({ ...given, mode: 0o777 });
    expect(seen('a/b')).toEqual({ ...given, mode: 0o2750 });
    expect(seen('a')).toEqual(given);
    expect(seen('')).toEqual({ ...given, mode: 0o1777 });
    expect(writer.permissionErrors.count).toBe(0);
  });

  it.each([
    ['that this process owns', process.getgid?.() ?? 0, 0o755],
    ['that passes its group to new entries', 99, 0o2755],
  ])('sets the owner of files in a folder %s', (_, folderGid, folderMode) => {
    const { writer } = volume;
    writer.makeFolder('a');
    chownSync(volume.at('a'), 0, folderGid);
    chmodSync(volume.at('a'), folderMode);
    writeFileSync(volume.at('a/there'), 'before');
    chownSync(volume.at('a/there'), 5, 6);
    const owners = [
      { uid: 0, gid: 0 },
      { uid: 0, gid: 99 },
      { uid: 7, gid: 0 },
    ];
    for (const [index, owner] of owners.entries())
      writer.writeWholeFile(`a/f${index}`, [], { ...given, mode: 0o6755, ...owner });
    writer.writeWholeFile('a/there', [], { ...given, uid: 0, gid: folderGid });
    for (const [index, owner] of owners.entries())
      expect(seen(`a/f${index}`)).toMatchObject({ ...owner, mode: 0o6755 });
    expect(seen('a/there')).toMatchObject({ uid: 0, gid: folderGid });
  });

  it('allows only the owner into an unfinished folder', () => {
    volume.writer.makeFolder('a');
    expect(seen('a').mode).toBe(0o700);
    volume.writer.beginFile('a/f', 3);
    expect(seen('a/f').mode).toBe(0o600);
  });

  it('writes files of very many chunks completely', () => {
    const pieces = Array.from({ length: 3_000 }, (_, index) => bytes(`${index},`));
    volume.writer.writeWholeFile('f', pieces, given);
    expect(textAt('f')).toBe(Buffer.concat(pieces).toString());
  });

  it('writes large files in parts, in any order, by several writers, with more files than it keeps open', async () => {
    const other = await volume.another();
    const paths = Array.from({ length: 40 }, (_, index) => `f${index}`);
    for (const path of paths) volume.writer.beginFile(path, 9);
    for (const path of paths) other.writeAt(path, bytes('789'), 6);
    for (const path of paths) volume.writer.writeAt(path, bytes('123'), 0);
    for (const path of paths) other.writeAt(path, bytes('456'), 3);
    for (const path of paths) other.finishFile(path, given);
    await other.settle();
    expect(new Set(paths.map(textAt))).toEqual(new Set(['123456789']));
    expect(paths.map(seen)).toEqual(paths.map(() => given));
  });

  it('syncs written data of a file while it writes more, and closes the file afterwards', async () => {
    const { writer } = volume;
    const piece = Buffer.alloc(1024 * 1024, 7);
    writer.beginFile('f', 70 * piece.length);
    for (let at = 0; at < 70; at++) writer.writeAt('f', piece, at * piece.length);
    writer.finishFile('f', given);
    await writer.settle();
    expect(seen('f')).toEqual(given);
    expect(readFileSync(volume.at('f')).equals(Buffer.alloc(70 * piece.length, 7))).toBe(true);
    const isOpen = () => readdirSync('/proc/self/fd').some((fd) => targetOf(fd) === volume.at('f'));
    await expect.poll(isOpen).toBe(false);
  });

  it('starts again with a large file that an earlier attempt left incomplete', () => {
    const { writer } = volume;
    writer.beginFile('f', 6);
    writer.writeAt('f', bytes('old'), 3);
    writer.beginFile('f', 6);
    writer.writeAt('f', bytes('new'), 0);
    expect(textAt('f')).toBe('new\0\0\0');
  });

  it('continues a large file that another writer left incomplete, and reads existing parts', async () => {
    volume.writer.beginFile('f', 9);
    volume.writer.writeAt('f', bytes('123'), 0);
    const later = await volume.another();
    const present = Buffer.alloc(6);
    later.readAt('f', present, 0);
    expect(present.toString()).toBe('123\0\0\0');
    later.writeAt('f', bytes('456'), 3, true);
    later.writeAt('f', bytes('789'), 6, true);
    later.finishFile('f', given);
    await later.settle();
    expect(textAt('f')).toBe('123456789');
    expect(() => later.readAt('f', Buffer.alloc(3), 7)).toThrow(
      expect.objectContaining({ code: 'VOLUME_WRITE_FAILED', message: expect.stringContaining('reading the file f') }),
    );
  });

  it('names the failed entry, and the cause', () => {
    const { writer } = volume;
    const long = 'x'.repeat(300);
    const failing: [() => void, string][] = [
      [() => writer.writeWholeFile(long, [], given), `writing the file ${long}`],
      [() => writer.makeFolder(long), `making the folder ${long}`],
      [() => writer.makeLink(long, 'target', given), `making the link ${long}`],
    ];
    for (const [act, said] of failing)
      expect(act).toThrow(
        expect.objectContaining({ code: 'VOLUME_ENTRY_UNFIT', message: expect.stringContaining(said) }),
      );
    expect(() => writer.writeAt('gone', bytes('x'), 0)).toThrow(
      expect.objectContaining({ code: 'VOLUME_WRITE_FAILED', retry: 'later' }),
    );
  });
});
