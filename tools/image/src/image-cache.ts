import { createHash } from 'node:crypto';
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { withFileLock } from './file-lock.ts';
import { describeLayer, type LayerBlob } from './layer-blob.ts';

/**
 * The directory for everything that outlives a checkout: `LATEEN_CACHE`, else `lateen` in the user's cache directory.
 * Whatever is in it may be removed at any time; it is made again.
 */
export function imageCacheDir(env: Readonly<Record<string, string | undefined>>): string {
  const base = env.LATEEN_CACHE || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lateen');
  return join(base, 'image');
}

/** A key that changes when any of the parts does. Parts are joined so that `['ab','c']` and `['a','bc']` differ. */
export function cacheKey(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}

/** Layers of one name that are kept: enough to go back and forth between branches, and no more. */
const generationsMax = 4;

/**
 * The layer `name` for `key`, made when it is not in the cache. `make` writes the tar to the path it is given; it
 * appears in the cache only when `make` has succeeded, so that nobody sees half of it. Of several processes that need the same layer at the same
 * time one makes it and the others wait: what is made a second time may have other bytes. Older layers of that name are removed.
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

/** What the cache says about a layer; undefined unless the file has exactly the size it had when it was hashed. */
async function readDescription(path: string): Promise<LayerBlob | undefined> {
  try {
    const [text, { size }] = await Promise.all([readFile(`${path}.json`, 'utf8'), stat(path)]);
    const { digest, sizeBytes } = JSON.parse(text) as { digest: string; sizeBytes: number };
    if (size !== sizeBytes) return undefined;
    await markUsed(path);
    return { path, digest, sizeBytes };
  } catch {
    // Absent or torn: it is made again, and then the reason for a real fault shows.
    return undefined;
  }
}

/** Whether the file is there; {@link removeOlder} keeps what was asked for last. */
export const isCached = (path: string): Promise<boolean> =>
  markUsed(path).then(
    () => true,
    () => false,
  );

/** So that {@link removeOlder} keeps it. @throws when the file is not there */
async function markUsed(path: string): Promise<void> {
  const nowSeconds = systemClock.now() / 1000;
  await utimes(path, nowSeconds, nowSeconds);
}

/** Removes the tars `<name>-….tar` that were used least recently, but for `keep` of them. */
export async function removeOlder(dir: string, name: string, keep: number): Promise<void> {
  const mine = (await readdir(dir)).filter((it) => it.startsWith(`${name}-`) && it.endsWith('.tar'));
  const dated = await Promise.all(mine.map(async (it) => ({ it, at: (await stat(join(dir, it))).mtimeMs })));
  for (const { it } of dated.sort((a, b) => b.at - a.at).slice(keep))
    await Promise.all([rm(join(dir, it), { force: true }), rm(join(dir, `${it}.json`), { force: true })]);
}
