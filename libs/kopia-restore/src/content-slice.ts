import type { ContentLocation } from '@lateen/kopia-format';
import type { PlacedEntry } from './tree-entry.ts';

/** A content of the snapshot, where it is stored, and all that is made of it: equal files share one. */
export interface ContentSlice extends ContentLocation {
  /** Files and links that it is the whole of. */
  whole: PlacedEntry[];
  /** Places in large files. */
  parts: FilePart[];
}

export interface FilePart {
  file: LargeFile;
  /** In the file, in bytes. */
  offset: number;
}

/** A file of several contents, which come in any order. */
export interface LargeFile {
  entry: PlacedEntry;
  /** The target has it in its size, and some of its parts may be right. */
  isUnfinished: boolean;
  /** Parts that have been found and not been written yet. */
  missing: number;
  /** All of its parts have been found. */
  isListed: boolean;
}

/** A content of an object, and where in the object its bytes go. */
export interface ObjectChunk {
  contentId: string;
  offset: number;
}
