import type { FolderEntry, ObjectId } from '@lateen/kopia-format';
import { describe, expect, it } from 'vitest';
import { type RestoreWindow, windowsOf } from './windows.ts';

const attributes = { mode: 0o644, uid: 0, gid: 0, mtimeNs: 0n };
const idOf = (contentId: string): ObjectId => ({ contentId, indirection: 0 });
const entry = (name: string, type: FolderEntry['type'] = 'file'): FolderEntry => ({
  name,
  type,
  objectId: type === 'other' ? undefined : idOf(name),
  size: 1,
  tree: undefined,
  ...attributes,
});
const folder = (name: string) => entry(name, 'folder');

type Tree = Record<string, readonly FolderEntry[]>;

async function windowsFrom(tree: Tree, limits: { entriesMax?: number; nameBytesMax?: number } = {}, batchMax = 2) {
  const open = new Set<string>();
  const readFolder = async function* ({ contentId }: ObjectId) {
    open.add(contentId);
    try {
      const entries = tree[contentId] ?? [];
      for (let at = 0; at < entries.length; at += batchMax) yield entries.slice(at, at + batchMax);
    } finally {
      open.delete(contentId);
    }
  };
  const windows: RestoreWindow[] = [];
  const root = { folder: { path: '', attributes }, objectId: idOf('root') };
  for await (const window of windowsOf(root, readFolder, { entriesMax: 1000, nameBytesMax: 10_000, ...limits }))
    windows.push(window);
  expect([...open]).toEqual([]);
  return windows.map(({ folders, entries, ended, unread }) => ({
    unread,
    folders: folders.map(({ path }) => path),
    entries: entries.map((each) => `${each.folder.path}/${each.entry.name}`),
    ended: ended.map(({ path }) => path),
  }));
}

const tree: Tree = {
  root: [folder('a'), folder('b'), entry('x'), entry('y')],
  a: [folder('c'), entry('l', 'link'), entry('lost', 'other')],
  c: [entry('1'), entry('2'), entry('3')],
  b: [],
};

describe('windowsOf', () => {
  it('keeps a small tree in one window: folders before their contents, and finished after them', async () => {
    expect(await windowsFrom(tree)).toEqual([
      {
        folders: ['', 'a', 'a/c', 'b'],
        entries: ['a/c/1', 'a/c/2', 'a/c/3', 'a/l', '/x', '/y'],
        ended: ['a/c', 'a', 'b', ''],
        unread: ['a/lost'],
      },
    ]);
  });

  it.each([1, 2, 3, 5, 7])('gives the same result for any tree in windows of %i entries', async (entriesMax) => {
    const windows = await windowsFrom(tree, { entriesMax });
    const all = (what: 'folders' | 'entries' | 'ended') => windows.flatMap((window) => window[what]);
    expect(all('folders')).toEqual(['', 'a', 'a/c', 'b']);
    expect(all('entries')).toEqual(['a/c/1', 'a/c/2', 'a/c/3', 'a/l', '/x', '/y']);
    expect(all('ended')).toEqual(['a/c', 'a', 'b', '']);
    for (const { folders, entries, ended } of windows)
      expect(folders.length + entries.length + ended.length).toBeLessThanOrEqual(entriesMax);
  });

  it('finishes a folder in the window with the last of its entries', async () => {
    const many = Array.from({ length: 10 }, (_, at) => entry(String(at)));
    const windows = await windowsFrom({ root: many }, { entriesMax: 4 });
    expect(windows.map(({ entries, ended }) => [entries.length, ended])).toEqual([
      [3, []],
      [4, []],
      [3, ['']],
    ]);
  });

  it('limits a window by the bytes of names, too', async () => {
    const long = ['a', 'b', 'c'].map((each) => entry(each.repeat(100)));
    expect(await windowsFrom({ root: long }, { nameBytesMax: 150 })).toHaveLength(2);
  });

  it('leaves no folder open when the walk ends early, and reports unreadable folders', async () => {
    let open = 0;
    const readFolder = async function* () {
      open++;
      try {
        yield [folder('again')];
      } finally {
        open--;
      }
    };
    const root = { folder: { path: '', attributes }, objectId: idOf('root') };
    for await (const _ of windowsOf(root, readFolder, { entriesMax: 3, nameBytesMax: 100 })) break;
    expect(open).toBe(0);
    const broken = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('no such content')) }),
    });
    await expect(windowsOf(root, broken, { entriesMax: 3, nameBytesMax: 100 }).next()).rejects.toThrow(
      'no such content',
    );
  });
});
