import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lateenRoot, rootRecipe } from './debian-root.ts';
import { cachedLayer, cacheKey, imageCacheDir } from './image-cache.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'lateen-cache-'));
});
afterEach(() => rm(dir, { recursive: true }));

/** A layer whose content is the given text. */
const layer = (key: string, text = key) =>
  cachedLayer({ dir, name: 'debian', key, make: (path) => writeFile(path, text) });

describe('imageCacheDir', () => {
  it.each([
    [{ LATEEN_CACHE: '/a', XDG_CACHE_HOME: '/b' }, '/a/image'],
    [{ XDG_CACHE_HOME: '/b' }, '/b/lateen/image'],
  ])('of %j is %s', (env, path) => expect(imageCacheDir(env)).toBe(path));
});

describe('cacheKey', () => {
  it('changes with the Debian release and with every package', () => {
    const keys = [
      cacheKey(...rootRecipe('bookworm', lateenRoot)),
      cacheKey(...rootRecipe('trixie', lateenRoot)),
      cacheKey(...rootRecipe('bookworm', lateenRoot), 'nano'),
      cacheKey(...rootRecipe('bookworm', { ...lateenRoot, backports: ['restic'] })),
    ];
    expect(new Set(keys).size).toBe(4);
    expect(cacheKey(...rootRecipe('bookworm', lateenRoot))).toBe(keys[0]);
  });

  it('distinguishes parts that are equal when concatenated', () => {
    expect(cacheKey('ab', 'c')).not.toBe(cacheKey('a', 'bc'));
  });
});

describe('cachedLayer', () => {
  it('builds a layer once and returns the same description from the cache', async () => {
    const { made, ...first } = await layer('one', 'content');
    const { made: madeAgain, ...second } = await layer('one', 'other content, not used');
    expect([made, madeAgain]).toEqual([true, false]);
    expect(second).toEqual(first);
    expect(await readFile(first.path, 'utf8')).toBe('content');
  });

  it('makes a layer once when several need it at the same time, and all get that one', async () => {
    const texts: string[] = [];
    const make = async (path: string) => {
      const text = `made as number ${texts.length + 1}`;
      texts.push(text);
      await setImmediate();
      await writeFile(path, text);
    };
    const layers = await Promise.all([1, 2, 3].map(() => cachedLayer({ dir, name: 'debian', key: 'one', make })));
    expect(texts).toEqual(['made as number 1']);
    expect(new Set(layers.map(({ digest }) => digest)).size).toBe(1);
    expect(layers.map(({ made }) => made).toSorted()).toEqual([false, false, true]);
    expect(await readdir(dir)).toEqual(['debian-one.tar', 'debian-one.tar.json']);
  });

  it('builds it again when the length of the file has changed', async () => {
    const { path } = await layer('one', 'content');
    await truncate(path, 3);
    expect(await layer('one', 'content')).toMatchObject({ made: true, sizeBytes: 7 });
  });

  it('keeps nothing of a layer that failed', async () => {
    const fail = async (path: string) => {
      await writeFile(path, 'half');
      throw new Error('disk full');
    };
    await expect(cachedLayer({ dir, name: 'debian', key: 'one', make: fail })).rejects.toThrow('disk full');
    expect(await readdir(dir)).toEqual([]);
  });

  it('removes old generations of the same name and no others', async () => {
    await cachedLayer({ dir, name: 'node', key: 'x', make: (path) => writeFile(path, 'x') });
    for (let index = 0; index < 6; index++) await layer(`k${index}`);
    const names = await readdir(dir);
    expect(names.filter((it) => it.startsWith('debian-'))).toHaveLength(8);
    expect(names).toContain('debian-k5.tar');
    expect(names).toContain('node-x.tar');
  });
});
