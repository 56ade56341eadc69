import type { EntryAttributes } from '@lateen/volume-writer';

/** A folder of the snapshot on its way into the volume. One object for all of its entries, so that its path is held once. */
export interface Folder {
  /** Relative to the volume; empty for its root. */
  path: string;
  /** Of the root they are its own too: a volume's root has mode, owner and time like any folder. */
  attributes: EntryAttributes;
}

/** A file, folder or link as the snapshot has it. */
export interface TreeEntry {
  name: string;
  kind: 'file' | 'folder' | 'link';
  objectId: string;
  sizeBytes: number;
  attributes: EntryAttributes;
}

/** A file or link, and where it goes. */
export interface PlacedEntry extends TreeEntry {
  kind: 'file' | 'link';
  folder: Folder;
}

/** Relative to the volume. */
export const pathIn = (folder: Folder, name: string): string => (folder.path === '' ? name : `${folder.path}/${name}`);
