/** Of the frame format of LZ4. What a frame holds and how it is packed is the library's business; this only bounds it. */
const magic = Buffer.from('04224d18', 'hex');
const headerBytesMin = 7;
const sizeFlag = 0x08;
const dictionaryFlag = 0x01;
const blockSumFlag = 0x10;
/** The highest bit of a block's size says that the block is stored as it is. */
const sizeMask = 0x7fff_ffff;

export const isLz4Frame = (bytes: Uint8Array): boolean => magic.equals(bytes.subarray(0, magic.length));

/**
 * The maximum decompressed size of the frame, from the sizes of its blocks alone. A small file can claim any size, and the library would trust it.
 * Undefined for a truncated frame or other data.
 */
export function lz4BytesMax(bytes: Uint8Array): number | undefined {
  if (bytes.length < headerBytesMin || !isLz4Frame(bytes)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint8(4);
  // 4 to 7: 64 KiB, 256 KiB, 1 MiB, 4 MiB.
  const sizeClass = (view.getUint8(5) >> 4) & 7;
  if (sizeClass < 4) return undefined;
  const blockBytes = 2 ** (8 + 2 * sizeClass);
  const sumBytes = (flags & blockSumFlag) === 0 ? 0 : 4;
  let at = headerBytesMin + ((flags & sizeFlag) === 0 ? 0 : 8) + ((flags & dictionaryFlag) === 0 ? 0 : 4);
  for (let total = 0; ; total += blockBytes) {
    if (at + 4 > bytes.length) return undefined;
    const size = view.getUint32(at, true) & sizeMask;
    if (size === 0) return total;
    at += 4 + size + sumBytes;
  }
}
