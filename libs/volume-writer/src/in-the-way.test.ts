import { execFileSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { attributesOfTests as given, type VolumeUnderTest, volumeUnderTest } from './volume-under-test.ts';

let volume: VolumeUnderTest;
/** Files outside the volume. */
let outside: string;
beforeEach(async () => {
  volume = await volumeUnderTest();
  outside = mkdtempSync(join(tmpdir(), 'lateen-outside-'));
  writeFileSync(join(outside, 'f'), 'theirs');
});
afterEach(async () => {
  expect(readdirSync(outside)).toEqual(['f']);
  expect(readFileSync(join(outside, 'f'), 'utf8')).toBe('theirs');
  rmSync(outside, { recursive: true });
  await volume.remove();
});

const ours = Buffer.from('ours');
const at = (path: string): string => volume.at(path);

/** Existing entries, by name. */
const present: Readonly<Record<string, (path: string) => void>> = {
  nothing: () => {},
  'a file': (path) => writeFileSync(path, 'a longer text than ours'),
  'a link to a file outside': (path) => symlinkSync(join(outside, 'f'), path),
  'a link to a folder outside': (path) => symlinkSync(outside, path),
  'a link to nowhere': (path) => symlinkSync('nowhere', path),
  'a link to itself': (path) => symlinkSync(path, path),
  'a FIFO that nobody reads': (path) => execFileSync('mkfifo', [path]),
  'a device': (path) => execFileSync('mknod', [path, 'c', '1', '3']),
  'a folder': (path) => {
    mkdirSync(path);
    writeFileSync(join(path, 'kept'), 'kept');
  },
};
const inTheWay = Object.keys(present);
const put = (kind: string, path: string): void => present[kind]?.(at(path));

describe('a path for a file', () => {
  it.each(inTheWay.filter((kind) => kind !== 'a folder'))('%s is overwritten', (kind) => {
    const { writer } = volume;
    put(kind, 'whole');
    put(kind, 'parts');
    writer.writeWholeFile('whole', [ours], given);
    writer.beginFile('parts', ours.length);
    writer.writeAt('parts', ours, 0);
    for (const path of ['whole', 'parts']) {
      expect(lstatSync(at(path)).isFile()).toBe(true);
      expect(readFileSync(at(path), 'utf8')).toBe('ours');
    }
  });

  it('that is a folder stays, and the file fails', () => {
    put('a folder', 'x');
    for (const act of [
      () => volume.writer.writeWholeFile('x', [ours], given),
      () => volume.writer.beginFile('x', 4),
      () => volume.writer.makeLink('x', 'target', given),
    ])
      expect(act).toThrow(expect.objectContaining({ code: 'VOLUME_ENTRY_IN_WAY', retry: 'never' }));
    expect(readdirSync(at('x'))).toEqual(['kept']);
  });

  it('that is a file with another name too leaves the content under that name', () => {
    writeFileSync(at('one'), 'before');
    linkSync(at('one'), at('two'));
    volume.writer.writeWholeFile('one', [ours], given);
    expect([readFileSync(at('one'), 'utf8'), readFileSync(at('two'), 'utf8')]).toEqual(['ours', 'before']);
  });

  it('that is a file without another name keeps its inode', () => {
    writeFileSync(at('one'), 'before');
    const { ino } = lstatSync(at('one'));
    volume.writer.writeWholeFile('one', [ours], given);
    expect(lstatSync(at('one')).ino).toBe(ino);
  });
});

describe('a path for a folder', () => {
  it.each(inTheWay)('with %s becomes a folder, and an existing folder keeps its content', (kind) => {
    put(kind, 'x');
    volume.writer.makeFolder('x');
    volume.writer.writeWholeFile('x/f', [ours], given);
    volume.writer.finishFolder('x', given);
    expect(lstatSync(at('x')).isDirectory()).toBe(true);
    expect(readdirSync(at('x'))).toEqual(kind === 'a folder' ? ['f', 'kept'] : ['f']);
  });
});

describe('a path for a link', () => {
  it.each(inTheWay.filter((kind) => kind !== 'a folder'))('%s is replaced', (kind) => {
    put(kind, 'x');
    volume.writer.makeLink('x', 'target', given);
    expect(readlinkSync(at('x'))).toBe('target');
  });
});

describe('a malicious snapshot', () => {
  it('with a link and a folder of one name does not leave the volume, in any order', () => {
    const { writer } = volume;
    writer.makeLink('a', outside, given);
    writer.makeFolder('a');
    writer.writeWholeFile('a/f', [ours], given);
    expect(() => writer.makeLink('a', outside, given)).toThrow(/in the way/);
    for (const kept of [
      [
        { name: 'a', isFolder: true },
        { name: 'a', isFolder: false },
      ],
      [
        { name: 'a', isFolder: false },
        { name: 'a', isFolder: true },
      ],
    ])
      expect(writer.deleteExtra('', kept)).toEqual({ folders: 0, others: 0 });
    expect(readFileSync(at('a/f'), 'utf8')).toBe('ours');
  });

  it("does not change owner or times of a link's target", async () => {
    const before = lstatSync(join(outside, 'f'), { bigint: true });
    volume.writer.makeLink('l', join(outside, 'f'), given);
    await volume.writer.settle();
    const after = lstatSync(join(outside, 'f'), { bigint: true });
    expect([after.uid, after.mtimeNs, after.ctimeNs]).toEqual([before.uid, before.mtimeNs, before.ctimeNs]);
    symlinkSync(outside, at('folder'));
    expect(() => volume.writer.finishFolder('folder', given)).toThrow(/finishing the folder folder failed/);
  });
});

describe('deleteExtra', () => {
  it('keeps the entries of the snapshot, and deletes the rest with its content', () => {
    for (const kind of inTheWay) put(kind, `extra ${kind}`);
    mkdirSync(at('deep/er'), { recursive: true });
    symlinkSync(outside, at('deep/er/link'));
    writeFileSync(at('file'), 'file');
    mkdirSync(at('folder'));
    const kept = [
      { name: 'file', isFolder: false },
      { name: 'folder', isFolder: true },
      { name: 'not there', isFolder: true },
    ];
    expect(volume.writer.deleteExtra('', kept)).toEqual({ folders: 2, others: 7 });
    expect(readdirSync(volume.path).sort()).toEqual(['file', 'folder']);
  });

  it('deletes an entry with the same name but another type', () => {
    put('a folder', 'file');
    put('a link to a folder outside', 'folder');
    put('a link to a file outside', 'link');
    const kept = [
      { name: 'file', isFolder: false },
      { name: 'folder', isFolder: true },
      { name: 'link', isFolder: false },
    ];
    expect(volume.writer.deleteExtra('', kept)).toEqual({ folders: 1, others: 1 });
    expect(readdirSync(volume.path)).toEqual(['link']);
  });

  it('deletes names that are not valid text, which no snapshot entry has', () => {
    const odd = Buffer.concat([Buffer.from(at('odd ')), Buffer.from([0xff, 0xfe])]);
    writeFileSync(odd, 'odd');
    expect(volume.writer.deleteExtra('', [{ name: 'odd \ufffd\ufffd', isFolder: false }]).others).toBe(1);
    expect(existsSync(odd)).toBe(false);
  });

  it('deletes the same entries in parts of a folder as in the whole', () => {
    // In the order of snapshots; in UTF-16 order the last two would be swapped.
    const folders = ['a', 'b', 'z', 'é'].map((name) => ({ name, isFolder: true }));
    const files = ['B', 'c', '\uffee', '\u{10000}'].map((name) => ({ name, isFolder: false }));
    const present = [...folders, ...files];
    const kept = present.filter(({ name }) => name !== 'b' && name !== 'c');
    for (let cut = 1; cut <= kept.length; cut++) {
      const path = `cut ${cut}`;
      mkdirSync(at(path));
      for (const { name } of folders) mkdirSync(at(`${path}/${name}`));
      for (const { name } of files) writeFileSync(at(`${path}/${name}`), name);
      writeFileSync(Buffer.concat([Buffer.from(at(`${path}/`)), Buffer.from([0xff])]), 'no text');
      const last = kept[cut - 1];
      const first = volume.writer.deleteExtra(path, kept.slice(0, cut), { upTo: last });
      const second = volume.writer.deleteExtra(path, kept.slice(cut), { after: last });
      expect([first.folders + second.folders, first.others + second.others]).toEqual([1, 2]);
      expect(readdirSync(at(path)).sort()).toEqual(kept.map(({ name }) => name).sort());
    }
  });

  it('names the folder that it could not read', () => {
    expect(() => volume.writer.deleteExtra('gone', [])).toThrow(/does not have in gone failed/);
  });
});
