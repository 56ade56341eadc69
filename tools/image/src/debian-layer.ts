import { debianCodename, makeDebianRoot, type RootContents, rootRecipe } from './debian-root.ts';
import { cachedLayer, cacheKey } from './image-cache.ts';
import type { LayerBlob } from './layer-blob.ts';

/** A Debian root file system as the lowest layer of an image; built once per content. @throws IMAGE_NOT_DEBIAN, IMAGE_ROOT_FAILED */
export async function debianLayer(options: {
  /** The cache directory. */
  dir: string;
  /** Name of the layer in the cache. */
  name: string;
  contents: RootContents;
  progress: (text: string) => void;
  signal?: AbortSignal | undefined;
}): Promise<LayerBlob> {
  const { dir, name, contents, progress, signal } = options;
  const codename = await debianCodename();
  const make = (path: string) => {
    progress(`Debian ${codename} root file system (about a minute, once)`);
    return makeDebianRoot(path, codename, contents, signal);
  };
  return cachedLayer({ dir, name, key: cacheKey(...rootRecipe(codename, contents)), make, signal });
}
