import { describe, expect, it } from 'vitest';
import { folderEntry } from './folder-entry.ts';

const obj = '0123456789abcdef0123456789abcdef';
const plain = { name: 'a', type: 'f', mode: '0644', size: 3, mtime: '2022-01-02T03:04:05.000000001Z', obj };

describe('an entry of a folder', () => {
  it.each([
    ['0644', 0o644],
    ['07', 7],
    [undefined, 0],
    // Go stores these three bits at other positions than Unix.
    ['040000755', 0o4755],
    ['020000755', 0o2755],
    ['04000777', 0o1777],
    ['064000777', 0o7777],
  ])('with mode %j has mode %o', (mode, unix) => expect(folderEntry({ ...plain, mode }).mode).toBe(unix));

  it.each([
    ['2022-01-02T03:04:05Z', 1_641_092_645_000_000_000n],
    ['2022-01-02T03:04:05.1Z', 1_641_092_645_100_000_000n],
    ['2022-01-02T03:04:05.123456789Z', 1_641_092_645_123_456_789n],
    ['2022-01-02T05:04:05.5+02:00', 1_641_092_645_500_000_000n],
    ['1969-12-31T23:59:59.25Z', -750_000_000n],
    [undefined, 0n],
  ])('of %j has its nanoseconds', (mtime, ns) => expect(folderEntry({ ...plain, mtime }).mtimeNs).toBe(ns));

  it.each(['', '.', '..', 'a/b', '/', '../x', 'a\0b', 5, undefined, null])('with the name %j is rejected', (name) =>
    expect(() => folderEntry({ ...plain, name })).toThrow(expect.objectContaining({ code: 'SNAPSHOT_CORRUPT' })),
  );

  it('may have a path as its name when nothing is written under it', () => {
    const read = (name: unknown) => folderEntry({ ...plain, name }, { isPathAllowed: true }).name;
    expect(read('/dev/uid')).toBe('/dev/uid');
    for (const name of ['', '..', 'a\0b', 5]) expect(() => read(name)).toThrow(/which no file can have/);
  });

  it.each([
    { mode: '644' },
    { mode: 420 },
    { mode: '0888' },
    { size: -1 },
    { size: 1.5 },
    { size: '3' },
    { uid: 2 ** 32 },
    { gid: -1 },
    { mtime: 'yesterday' },
    { mtime: '2022-13-45T99:00:00Z' },
    { obj: '../x' },
    { obj: 'zz' },
  ])('with %j is rejected', (other) =>
    expect(() => folderEntry({ ...plain, ...other })).toThrow(expect.objectContaining({ code: 'SNAPSHOT_CORRUPT' })),
  );

  it('treats fields that Go omits as zero, and has the totals below a folder', () => {
    expect(
      folderEntry({ name: 'x', obj: `k${obj}`, type: 'd', summ: { size: 9, files: 2, maxTime: plain.mtime } }),
    ).toEqual({
      name: 'x',
      type: 'folder',
      mode: 0,
      size: 0,
      mtimeNs: 0n,
      uid: 0,
      gid: 0,
      objectId: { contentId: `k${obj}`, indirection: 0 },
      tree: { files: 2, bytes: 9, newestNs: 1_641_092_645_000_000_001n },
    });
    expect(folderEntry({ name: 'x', obj: '' })).toMatchObject({ type: 'other', objectId: undefined, tree: undefined });
  });
});
