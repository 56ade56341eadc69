import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@lateen/errors';

/** One uncompressed layer tar on disk with the fields of its OCI descriptor. */
export interface LayerBlob {
  path: string;
  /** `sha256:<64 hex>` of the uncompressed tar, so it is the layer's diff ID too. */
  digest: string;
  sizeBytes: number;
}

/** Large enough that hashing takes longer than system calls; memory use is twice this. */
const readChunkBytes = 1024 * 1024;

/** Reads the file once and returns its description. @throws IMAGE_LAYER_UNREADABLE naming the file */
export async function describeLayer(path: string, signal?: AbortSignal): Promise<LayerBlob> {
  try {
    const hash = createHash('sha256');
    const { size } = await stat(path);
    await pipeline(createReadStream(path, { highWaterMark: readChunkBytes }), hash, signal ? { signal } : {});
    return { path, digest: `sha256:${hash.digest('hex')}`, sizeBytes: size };
  } catch (error) {
    signal?.throwIfAborted();
    throw new AppError('IMAGE_LAYER_UNREADABLE', `image layer ${path} cannot be read`, { cause: error });
  }
}

/** A stream of the layer for the archive. */
export const openLayer = (blob: LayerBlob) => createReadStream(blob.path, { highWaterMark: readChunkBytes });
