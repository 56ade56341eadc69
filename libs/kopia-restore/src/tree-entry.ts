import type { FolderEntry, ObjectId } from '@lateen/kopia-format';
import type { EntryAttributes } from '@lateen/volume-writer';

/** A folder of the snapshot on its way into the volume. One object for all of its entries, so that its path is held once. */
export interface Folder {
  /** Relative to the volume; empty for its root. */
  path: string;
  /** The root has its own too: mode, owner and time, like any folder. */
  attributes: EntryAttributes;
}

/** A file or link, and where it goes. */
export interface PlacedEntry {
  entry: FolderEntry & { type: 'file' | 'link'; objectId: ObjectId };
  folder: Folder;
}

/** Relative to the volume. */
export const pathIn = (folderPath: string, name: string): string =>
  folderPath === '' ? name : `${folderPath}/${name}`;

export const pathOf = ({ folder, entry }: PlacedEntry): string => pathIn(folder.path, entry.name);
