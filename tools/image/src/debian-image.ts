import { join } from 'node:path';
import { debianLayer } from './debian-layer.ts';
import type { RootContents } from './debian-root.ts';
import { cacheKey, imageCacheDir, isCached, removeOlder } from './image-cache.ts';
import { writeOciArchive } from './oci-archive.ts';
import { type ImageConfig, imageDigest } from './oci-documents.ts';

export interface DebianImageOptions {
  /** Prefix of its files in the cache. */
  name: string;
  /** `localhost/postgres:dev` */
  tag: string;
  contents: RootContents;
  config: ImageConfig;
  /** Called with one line per step, for display. */
  progress?: (text: string) => void;
  signal?: AbortSignal | undefined;
}

/**
 * An image that consists of Debian packages, built without a registry, for programs that run together with Lateen (the demo's database).
 * Built once and then read from the cache.
 * @throws IMAGE_… naming what failed
 */
export async function debianImage(options: DebianImageOptions): Promise<{ archive: string; digest: string }> {
  const { name, tag, contents, config, progress = () => {}, signal } = options;
  const dir = imageCacheDir(process.env);
  const layers = [await debianLayer({ dir, name: `${name}-root`, contents, progress, signal })];
  const digest = imageDigest(config, layers);
  const archive = join(dir, `${name}-image-${cacheKey(tag, digest)}.tar`);
  if (await isCached(archive)) return { archive, digest };
  progress('writing the archive');
  await writeOciArchive({ tag, layers, config, output: archive, signal });
  await removeOlder(dir, `${name}-image`, 1);
  return { archive, digest };
}
