/** Where things are in an index file: sorted entries of one size behind a head, then tables that entries point into. */
export interface IndexLayout {
  version: 1 | 2;
  /** Of the content's id in front of each entry. */
  keySize: number;
  /** Of key and entry together. */
  stride: number;
  entryCount: number;
  entriesOffset: number;
  /** Where names of packs are found; in version 1 entries say so themselves. */
  packsOffset: number;
  packCount: number;
  formatsOffset: number;
  formatCount: number;
  /** Unix seconds that times of entries are relative to. */
  baseTime: number;
}

/** As much as the longer head has. */
export const headBytesMax = 17;
const headBytes = { 1: 8, 2: 17 } as const;
const entryBytes = { 1: { min: 20, max: 20 }, 2: { min: 16, max: 19 } } as const;
export const packInfoBytes = 5;
export const formatInfoBytes = 6;
/** A hash of 16 to 32 bytes behind a letter. */
const keySizes = { min: 17, max: 33 } as const;

/** Undefined when it is not an index file of `size` bytes, or has an unknown version. */
export function indexLayout(head: Uint8Array, size: number): IndexLayout | undefined {
  const version = head[0];
  if ((version !== 1 && version !== 2) || head.length < headBytes[version] || size < headBytes[version])
    return undefined;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const keySize = view.getUint8(1);
  const entrySize = view.getUint16(2);
  const entryCount = view.getUint32(4);
  const isTwo = version === 2;
  const packCount = isTwo ? view.getUint32(8) : 0;
  const formatCount = isTwo ? view.getUint8(12) : 0;
  const stride = keySize + entrySize;
  const packsOffset = headBytes[version] + entryCount * stride;
  const formatsOffset = packsOffset + packCount * packInfoBytes;
  if (formatsOffset + formatCount * formatInfoBytes > size) return undefined;
  const { min, max } = entryBytes[version];
  // One without entries says nothing of their keys.
  const isSized = keySize >= keySizes.min && keySize <= keySizes.max && entrySize >= min && entrySize <= max;
  if (entryCount > 0 && !isSized) return undefined;
  return {
    version,
    keySize,
    stride,
    entryCount,
    entriesOffset: headBytes[version],
    packsOffset,
    packCount,
    formatsOffset,
    formatCount,
    baseTime: isTwo ? view.getUint32(13) : 0,
  };
}
