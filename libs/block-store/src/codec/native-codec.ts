import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { compressFrame, decompressFrame } from 'lz4-napi';
import type { CompressionMethod } from '../format/compression-method.ts';
import { type BlockCodec, CodecError } from './block-codec.ts';
import { isLz4Frame, lz4BytesMax } from './lz4-frame.ts';

/** Other writers' frames may have smaller blocks, of which the last is not full. */
const lz4SlackBytes = 4 * 1024 * 1024;
const gzipped = promisify(gzip);
const gunzipped = promisify(gunzip);

/** Compresses a block, in threads of Node's own pool (docs/adr/0054). */
async function compress(method: CompressionMethod, bytes: Uint8Array): Promise<Uint8Array> {
  switch (method) {
    case 'none':
      return bytes;
    case 'gzip':
      return await gzipped(bytes);
    case 'lz4':
      return await compressFrame(bytes, { contentChecksum: true });
  }
}

/**
 * Decompresses a block by the method that its header shows: some backups name another method than that of blocks that were stored before. Data with
 * the size of a block that cannot be decompressed is taken as it is: its hash decides. The result never exceeds `blockBytes`, except for lz4, whose
 * frames count in their own blocks.
 * @throws CodecError
 */
async function decompress(method: CompressionMethod, stored: Uint8Array, blockBytes: number): Promise<Uint8Array> {
  const isWhole = stored.length === blockBytes;
  if (method === 'none' && isWhole) return stored;
  try {
    const bytes = await unpacked(stored, blockBytes);
    return isWhole && bytes.length !== blockBytes ? stored : bytes;
  } catch (error) {
    if (isWhole) return stored;
    if (error instanceof CodecError) throw error;
    throw new CodecError(error instanceof Error ? error.message : 'it cannot be unpacked', { cause: error });
  }
}

async function unpacked(stored: Uint8Array, blockBytes: number): Promise<Uint8Array> {
  if (stored[0] === 0x1f && stored[1] === 0x8b) return await gunzipped(stored, { maxOutputLength: blockBytes });
  if (isLz4Frame(stored)) return await unpackedLz4(stored, blockBytes);
  throw new CodecError('it is neither gzip nor lz4, nor a whole block');
}

async function unpackedLz4(stored: Uint8Array, blockBytes: number): Promise<Uint8Array> {
  const bytesMax = lz4BytesMax(stored);
  if (bytesMax === undefined) throw new CodecError('its end is missing');
  if (bytesMax > 2 * blockBytes + lz4SlackBytes) throw new CodecError('it holds more than a block');
  return await decompressFrame(stored);
}

export const nativeCodec: BlockCodec = { compress, decompress };
