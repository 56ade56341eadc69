import type { CompressionMethod } from '../format/compression-method.ts';

/** Packs and unpacks blocks. A port, because whoever only lists and deletes backups needs no native library. */
export interface BlockCodec {
  compress(method: CompressionMethod, bytes: Uint8Array): Promise<Uint8Array>;
  /** @throws CodecError */
  decompress(method: CompressionMethod, stored: Uint8Array, blockBytes: number): Promise<Uint8Array>;
}

/** What is stored of a block cannot be unpacked: it is cut, or somebody else's. */
export class CodecError extends Error {
  override readonly name = 'CodecError';
}

/** What no method adds to bytes that cannot be compressed: each about a thousandth, and a header. */
const growth = 1 / 64;
const growthBytes = 4 * 1024;

/** What a block may take in the store; more is read of no file. */
export const storedBytesMax = (blockBytes: number): number => Math.ceil(blockBytes * (1 + growth)) + growthBytes;
