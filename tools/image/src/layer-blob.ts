import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { AppError } from '@lateen/errors';

/** One uncompressed layer tar on disk with what an OCI descriptor says about it. */
export interface LayerBlob {
  path: string;
  /** `sha256:<64 hex>`; of the uncompressed tar, so it is the layer's diff ID too. */
  digest: string;
  sizeBytes: number;
}

/** Big enough that hashing, not system calls, is what takes the time; this and one more is all the memory used. */
const readChunkBytes = 1024 * 1024;

/** Reads the file once and describes it. @throws IMAGE_LAYER_UNREADABLE naming the file */
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
