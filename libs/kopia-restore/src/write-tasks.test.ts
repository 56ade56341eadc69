import { describe, expect, it } from 'vitest';
import type { ContentSlice, LargeFile } from './content-slice.ts';
import { entriesOf } from './entry-columns.ts';
import type { PlacedEntry } from './tree-entry.ts';
import { writeTasks } from './write-tasks.ts';

const attributes = { mode: 0o644, uid: 0, gid: 0, mtimeNs: 0n };
const placed = (name: string): PlacedEntry => ({
  folder: { path: 'd', attributes },
  entry: { ...attributes, name, type: 'file', size: 1, objectId: { contentId: name, indirection: 0 }, tree: undefined },
});
const slice = (contentId: string, offset: number, more: Partial<ContentSlice> = {}): ContentSlice => ({
  ...{ contentId, packId: 'p', offset, length: 10, originalLength: 100, compressionHeaderId: 0 },
  whole: [placed(contentId)],
  parts: [],
  ...more,
});
const bytes = new Uint8Array(new SharedArrayBuffer(100));
const cut = (slices: ContentSlice[], limits: { targetsMax: number; bytesMax: number }) =>
  writeTasks({ bytes, offset: 1000, slices }, limits as never).map(({ task }) =>
    entriesOf(task.entries).map((each) => each.path),
  );

describe('writeTasks', () => {
  it('splits contents by files and by bytes, and assigns each content to one task', () => {
    const slices = ['a', 'b', 'c', 'd', 'e'].map((id, at) => slice(id, 1000 + 10 * at));
    expect(cut(slices, { targetsMax: 2, bytesMax: 1e6 })).toEqual([['d/a', 'd/b'], ['d/c', 'd/d'], ['d/e']]);
    expect(cut(slices, { targetsMax: 99, bytesMax: 300 })).toEqual([
      ['d/a', 'd/b', 'd/c'],
      ['d/d', 'd/e'],
    ]);
    expect(cut([slice('huge', 1000, { originalLength: 1e9 })], { targetsMax: 9, bytesMax: 10 })).toEqual([['d/huge']]);
  });

  it('assigns a content of very many files to several tasks', () => {
    const whole = ['1', '2', '3', '4', '5'].map(placed);
    expect(cut([slice('same', 1000, { whole })], { targetsMax: 2, bytesMax: 1e6 })).toEqual([
      ['d/1', 'd/2'],
      ['d/3', 'd/4'],
      ['d/5'],
    ]);
  });

  it('says where contents lie in the bytes, and where parts are written', () => {
    const file: LargeFile = { entry: placed('big'), isUnfinished: true, missing: 2, isListed: true };
    const parts = [
      { file, offset: 0 },
      { file, offset: 4096 },
    ];
    const [planned, ...others] = writeTasks({ bytes, offset: 1000, slices: [slice('x', 1020, { whole: [], parts })] });
    expect(others).toEqual([]);
    expect(planned?.parts).toEqual(parts);
    expect(planned?.task).toMatchObject({
      contents: { ids: 'x', starts: Float64Array.of(20), offsets: Float64Array.of(1020) },
      parts: {
        paths: ['d/big'],
        unfinished: Uint8Array.of(1),
        pathOf: Uint32Array.of(0, 0),
        offsets: Float64Array.of(0, 4096),
      },
    });
  });
});
