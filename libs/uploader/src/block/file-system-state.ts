/** The file systems whose allocation maps we read. */
export type FileSystemKind = 'ext4' | 'xfs' | 'btrfs';

/**
 * Facts from the superblock of a file system whose allocation map can be trusted: it was written back completely, and we know
 * every feature that it uses.
 */
export interface FileSystemState {
  kind: FileSystemKind;
  sizeBytes: number;
  blockBytes: number;
  /** Bounds of the free bytes, from the file system's own counters. */
  freeBytesMin: number;
  freeBytesMax: number;
}

/** Why the whole device has to be read. */
export interface Unsure {
  why: string;
}

export const unsure = (why: string): Unsure => ({ why });

/** Names the bits of a feature field that are not known to leave the allocation map unchanged. */
export function strangeFeatures(field: string, value: number, known: number): string | undefined {
  const strange = (value & ~known) >>> 0;
  return strange === 0 ? undefined : `${field} features 0x${strange.toString(16)}`;
}
