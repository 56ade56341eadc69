import { isObject } from '../json-value.ts';
import { type FolderEntry, folderEntry } from '../objects/folder-entry.ts';
import { snapshotCorrupt } from '../snapshot-corrupt.ts';
import type { Manifest } from './manifest.ts';

/** What a snapshot is of: a folder, or a file or device. Its name is where it was, which is of no use here. */
export function snapshotRoot({ id, data }: Manifest): FolderEntry {
  const root = isObject(data) ? data.rootEntry : undefined;
  if (!isObject(root)) throw snapshotCorrupt(`the snapshot ${id} has no root`);
  return folderEntry({ ...root, name: 'root' });
}
