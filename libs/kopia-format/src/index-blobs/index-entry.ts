import { packedOverhead } from '../content-cipher.ts';
import type { IndexLayout } from './index-layout.ts';

/** What an index says about one content. Filled again for the next one. */
export interface IndexEntry {
  /** Unix seconds. */
  time: number;
  isDeleted: boolean;
  offset: number;
  length: number;
  originalLength: number;
  /** Index of its format; 0 in version 1, which has none. */
  format: number;
  /** Version 2: index of its pack. Version 1: offset of its pack's name in the file. */
  pack: number;
  /** Version 1: of its pack's name. */
  packNameLength: number;
}

export const emptyEntry = (): IndexEntry => ({
  time: 0,
  isDeleted: false,
  offset: 0,
  length: 0,
  originalLength: 0,
  format: 0,
  pack: 0,
  packNameLength: 0,
});

/** Reads the entry whose key begins at `at`. */
export function readEntry(layout: IndexLayout, bytes: Uint8Array, at: number, into: IndexEntry): void {
  const entry = at + layout.keySize;
  if (layout.version === 1) readVersion1(bytes, entry, into);
  else readVersion2(layout, bytes, entry, into);
}

/** Times have 6 bytes, the rest of the first 8 are a version and a length. */
function readVersion1(b: Uint8Array, at: number, into: IndexEntry): void {
  into.time = uint16(b, at) * 2 ** 32 + uint32(b, at + 2);
  into.format = 0;
  into.packNameLength = b[at + 7] ?? 0;
  into.pack = uint32(b, at + 8);
  readOffset(b, at + 12, into);
  into.length = uint32(b, at + 16);
  into.originalLength = Math.max(0, into.length - packedOverhead);
}

/** 16 bytes, then up to three more where the file needs them: format, high byte of the pack, high bits of the lengths. */
function readVersion2(layout: IndexLayout, b: Uint8Array, at: number, into: IndexEntry): void {
  const size = layout.stride - layout.keySize;
  const high = size > 18 ? (b[at + 18] ?? 0) : 0;
  into.time = layout.baseTime + uint32(b, at);
  readOffset(b, at + 4, into);
  into.originalLength = uint24(b, at + 8) + (high >>> 4) * 2 ** 24;
  into.length = uint24(b, at + 11) + (high & 15) * 2 ** 24;
  into.pack = uint16(b, at + 14) + (size > 17 ? (b[at + 17] ?? 0) * 2 ** 16 : 0);
  into.format = size > 16 ? (b[at + 16] ?? 0) : 0;
  into.packNameLength = 0;
}

/** The highest bit says that the content was deleted. */
function readOffset(b: Uint8Array, at: number, into: IndexEntry): void {
  const value = uint32(b, at);
  into.isDeleted = value >= 2 ** 31;
  into.offset = value % 2 ** 31;
}

const uint16 = (b: Uint8Array, at: number) => ((b[at] ?? 0) << 8) | (b[at + 1] ?? 0);
const uint24 = (b: Uint8Array, at: number) => (uint16(b, at) << 8) | (b[at + 2] ?? 0);
export const uint32 = (b: Uint8Array, at: number) => ((uint16(b, at) << 16) | uint16(b, at + 2)) >>> 0;
