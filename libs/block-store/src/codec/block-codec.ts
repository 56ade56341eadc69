import type { CompressionMethod } from '../format/compression-method.ts';

/** Compresses and decompresses blocks. A port, because a program that only lists and deletes backups needs no native library. */
export interface BlockCodec {
  compress(method: CompressionMethod, bytes: Uint8Array): Promise<Uint8Array>;
  /** @throws CodecError */
  decompress(method: CompressionMethod, stored: Uint8Array, blockBytes: number): Promise<Uint8Array>;
}

/** A stored block cannot be decompressed: it is truncated, or written by another program. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** The most that any method adds to incompressible data: about a thousandth, and a header. */
const growth = 1 / 64;
const growthBytes = 4 * 1024;

/** The largest stored size of a block; no more is read of any file. */
export const storedBytesMax = (blockBytes: number): number => Math.ceil(blockBytes * (1 + growth)) + growthBytes;
