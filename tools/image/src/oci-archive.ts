import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError, isAppError } from '@lateen/errors';
import { type Pack, pack } from 'tar-stream';
import { describeLayer, type LayerBlob, openLayer } from './layer-blob.ts';
import { configBlob, type ImageConfig, indexDocument, layoutDocument, manifestBlob } from './oci-documents.ts';

export interface OciArchiveOptions {
  /** The name of the image after import, with registry and tag: `localhost/lateen:dev`. */
  tag: string;
  /**
   * Uncompressed tars, lowest first. A path is hashed; the description of a described layer is used without a check (importers check it).
   */
  layers: readonly (string | LayerBlob)[];
  config: ImageConfig;
  /** Path of the archive; replaced atomically, so that no reader sees an incomplete one. */
  output: string;
  signal?: AbortSignal | undefined;
}

/**
 * Writes one image as an OCI layout in a tar, for `ctr -n k8s.io images import` or `skopeo copy oci-archive:`. Reproducible: the same
 * layers and configuration give the same bytes. Layers are streamed, so memory does not grow with their size. Resolves with the manifest's
 * digest. When `signal` aborts, nothing is left at `output`.
 * @throws IMAGE_LAYER_UNREADABLE, IMAGE_TAG_INVALID, IMAGE_WRITE_FAILED
 */
export async function writeOciArchive(options: OciArchiveOptions): Promise<{ digest: string }> {
  checkTag(options.tag);
  const layers: LayerBlob[] = [];
  for (const layer of options.layers)
    layers.push(typeof layer === 'string' ? await describeLayer(layer, options.signal) : layer);
  const config = configBlob(options.config, layers);
  const manifest = manifestBlob(config, layers);

  const files = new Map<string, Buffer | LayerBlob>();
  files.set('oci-layout', layoutDocument());
  files.set('index.json', indexDocument(manifest, options.tag));
  files.set(blobPath(manifest.digest), manifest.bytes);
  files.set(blobPath(config.digest), config.bytes);
  for (const layer of layers) files.set(blobPath(layer.digest), layer);
  await writeTar(files, options.output, options.signal);
  return { digest: manifest.digest };
}

/** The registry's grammar, limited to names for which containerd does not assume a default host. */
const tagPattern = /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9._-]+)+:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

function checkTag(tag: string): void {
  if (tagPattern.test(tag)) return;
  throw new AppError('IMAGE_TAG_INVALID', `image tag "${tag}" is not of the form host/name:tag`, {
    nextStep: 'Use a full name such as localhost/lateen:dev.',
  });
}

const blobPath = (digest: string): string => `blobs/${digest.replace(':', '/')}`;

async function writeTar(
  files: ReadonlyMap<string, Buffer | LayerBlob>,
  output: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const partial = `${output}.partial.${process.pid}`;
  await mkdir(dirname(output), { recursive: true });
  const archive = pack();
  try {
    const written = pipeline(archive, createWriteStream(partial), signal ? { signal } : {});
    await Promise.all([written, addAll(archive, files, signal)]);
    await rename(partial, output);
  } catch (error) {
    archive.destroy();
    await rm(partial, { force: true });
    signal?.throwIfAborted();
    if (isAppError(error)) throw error;
    throw new AppError('IMAGE_WRITE_FAILED', `image archive ${output} could not be written`, { cause: error });
  }
}

async function addAll(
  archive: Pack,
  files: ReadonlyMap<string, Buffer | LayerBlob>,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (const [name, content] of files) {
    const size = Buffer.isBuffer(content) ? content.length : content.sizeBytes;
    const entry = archive.entry({ name, size, mode: 0o644, uid: 0, gid: 0, mtime: epoch });
    if (Buffer.isBuffer(content)) await pipeline([content], entry);
    else await pipeline(openLayer(content), entry, signal ? { signal } : {});
  }
  archive.finalize();
}

const epoch = new Date(0);
