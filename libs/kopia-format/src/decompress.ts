import { gunzipSync, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { unsupported } from './unsupported.ts';

/** In front of what is compressed stands by what, as in the index. */
const headerBytes = 4;

type Inflate = (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array;

const families: Readonly<Record<number, { name: string; inflate?: Inflate }>> = {
  16: { name: 'gzip', inflate: gunzipSync },
  17: { name: 'zstd', inflate: zstdDecompressSync },
  18: { name: 's2' },
  19: { name: 'pgzip', inflate: gunzipSync },
  20: { name: 'lz4' },
  21: { name: 'deflate', inflate: inflateRawSync },
};

/**
 * What was compressed, undefined when it cannot be had from these bytes. No more than `length` is made.
 * @throws AppError REPOSITORY_FORMAT_UNSUPPORTED
 */
export function decompress(bytes: Uint8Array, headerId: number, length: number): Uint8Array | undefined {
  const family = families[headerId >>> 8];
  const inflate = family?.inflate;
  if (inflate === undefined) throw unsupported(`the compression ${family?.name ?? `0x${headerId.toString(16)}`}`);
  if (bytes.length < headerBytes || headerOf(bytes) !== headerId) return undefined;
  try {
    return inflate(bytes.subarray(headerBytes), { maxOutputLength: Math.max(length, 1) });
  } catch {
    return undefined;
  }
}

const headerOf = (b: Uint8Array) => new DataView(b.buffer, b.byteOffset, b.byteLength).getUint32(0);
