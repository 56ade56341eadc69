import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { withFileLock } from './file-lock.ts';
import { describeLayer, type LayerBlob } from './layer-blob.ts';

/**
 * The directory for everything that is kept between checkouts: `LATEEN_CACHE`, else `lateen` in the user's cache directory. Its content may
 * be deleted at any time; it is built again.
 */
export function imageCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.LATEEN_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lateen');
  return join(base, 'image');
}

/** A key that changes when any of the parts does. `['ab','c']` and `['a','bc']` give different keys. */
export function cacheKey(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Number of layers kept per name: enough to switch between branches. */
const generationsMax = 4;

/**
 * The layer `name` for `key`, built when it is not in the cache. `make` writes the tar to the given path; it is moved into the cache only
 * after `make` has succeeded, so that no process reads an incomplete one. Of several processes that need the same layer at the same time one
 * builds it and the others wait, because a second build may give other bytes. Older layers of that name are removed.
 */
export async function cachedLayer(options: {
  dir: string;
  name: string;
  key: string;
  make: (path: string) => Promise<void>;
  signal?: AbortSignal | undefined;
}): Promise<LayerBlob & { made: boolean }> {
  const { dir, name, key, make, signal } = options;
  const path = join(dir, `${name}-${key}.tar`);
  const known = await readDescription(path);
  if (known !== undefined) return { ...known, made: false };
  const lock = `${path}.lock`;
  return withFileLock(lock, { signal }, async () => {
    const partial = `${path}.making.${process.pid}`;
    try {
      const meanwhile = await readDescription(path);
      if (meanwhile !== undefined) return { ...meanwhile, made: false };
      await make(partial);
      const { digest, sizeBytes } = await describeLayer(partial, signal);
      await rename(partial, path);
      await writeFile(`${path}.json`, JSON.stringify({ digest, sizeBytes }));
      await removeOlder(dir, name, generationsMax);
      return { path, digest, sizeBytes, made: true };
    } finally {
      await Promise.all([partial, lock].map((each) => rm(each, { force: true })));
    }
  });
}

/** The cached description of a layer; undefined unless the file still has its recorded size. */
async function readDescription(path: string): Promise<LayerBlob | undefined> {
  try {
    const [text, { size }] = await Promise.all([readFile(`${path}.json`, 'utf8'), stat(path)]);
    const { digest, sizeBytes } = JSON.parse(text) as { digest: string; sizeBytes: number };
    if (size !== sizeBytes) return undefined;
    await markUsed(path);
    return { path, digest, sizeBytes };
  } catch {
    // Absent or truncated: the layer is built again, and a real fault then shows its cause.
    return undefined;
  }
}

/** Whether the file exists; updates its time, so that {@link removeOlder} keeps the last used ones. */
export const isCached = (path: string): Promise<boolean> =>
  markUsed(path).then(
    () => true,
    () => false,
  );

/** Marks the file as used for {@link removeOlder}. @throws when it does not exist */
async function markUsed(path: string): Promise<void> {
  const nowSeconds = systemClock.now() / 1000;
  await utimes(path, nowSeconds, nowSeconds);
}

/** Removes the least recently used tars `<name>-….tar`, except `keep` of them. */
export async function removeOlder(dir: string, name: string, keep: number): Promise<void> {
  const mine = (await readdir(dir)).filter((it) => it.startsWith(`${name}-`) && it.endsWith('.tar'));
  const dated = await Promise.all(mine.map(async (it) => ({ it, at: (await stat(join(dir, it))).mtimeMs })));
  for (const { it } of dated.sort((a, b) => b.at - a.at).slice(keep))
    await Promise.all([rm(join(dir, it), { force: true }), rm(join(dir, `${it}.json`), { force: true })]);
}
