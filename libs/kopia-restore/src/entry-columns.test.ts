import { describe, expect, it } from 'vitest';
import { entriesOf, entryColumns, folderColumns } from './entry-columns.ts';
import type { PlacedEntry } from './tree-entry.ts';

const objectId = { contentId: 'x', indirection: 0 };
const odd = { mode: 0o7777, uid: 2 ** 32 - 2, gid: 5, mtimeNs: 1_700_000_000_123_456_789n };
const early = { mode: 0o777, uid: 0, gid: 0, mtimeNs: -5n };
const root = { path: '', attributes: { mode: 0o755, uid: 0, gid: 0, mtimeNs: 1n } };
const deep = { path: 'a/b', attributes: { mode: 0o700, uid: 7, gid: 8, mtimeNs: 2n } };

describe('entries by column', () => {
  it('are returned as they were added, including unusual names, large numbers and times before 1970', () => {
    const entries: PlacedEntry[] = [
      {
        folder: root,
        entry: { name: 'new\nline', type: 'file', objectId, size: 2 ** 45, tree: undefined, ...odd },
      },
      {
        folder: deep,
        entry: { name: ' ünï', type: 'link', objectId, size: 0, tree: undefined, ...early },
      },
    ];
    const columns = structuredClone(entryColumns(entries));
    expect(columns.folders).toEqual(['', 'a/b']);
    expect(entriesOf(columns)).toEqual([
      { path: 'new\nline', isLink: false, sizeBytes: 2 ** 45, attributes: odd },
      { path: 'a/b/ ünï', isLink: true, sizeBytes: 0, attributes: early },
    ]);
  });

  it('keep folders by their own path, including the root', () => {
    expect(entriesOf(folderColumns([deep, root]))).toMatchObject([
      { path: 'a/b', attributes: deep.attributes },
      { path: '', attributes: root.attributes },
    ]);
  });

  it('of no entries are empty', () => {
    expect(entriesOf(entryColumns([]))).toEqual([]);
  });
});
