import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeObjectStore, seededRandom } from '@lateen/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fsStore } from './fs-store.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** Paths of everything below a directory, without following links. */
async function everything(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).toSorted();
}

describeObjectStore('a directory', async () => {
  const top = await mkdtemp(join(tmpdir(), 'lateen-fs-store-'));
  const fspath = join(top, 'share');
  await mkdir(fspath);
  return {
    store: fsStore({ fspath }, { random: seededRandom(3) }),
    missing: fsStore({ fspath: join(top, 'none') }),
    leftovers: async () => (await everything(fspath)).filter((path) => path.includes('.lateen-tmp-')),
    keepsUnfinished: true,
    severalPartsBytes: 1_000_000,
    refusedKeys: ['a/', 'y'.repeat(256), '.lateen-tmp-x'],
    close: () => rm(top, { recursive: true, force: true }),
  };
});

describe('fsStore', () => {
  let top: string;
  let fspath: string;
  let outside: string;
  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), 'lateen-fs-store-'));
    fspath = join(top, 'share');
    outside = join(top, 'outside');
    await mkdir(fspath);
    await mkdir(outside);
    await writeFile(join(outside, 'secret'), 'outside-secret');
  });
  afterEach(() => rm(top, { recursive: true, force: true }));
  const mode = async (...path: string[]) => ((await stat(join(fspath, ...path))).mode & 0o777).toString(8);

  it('creates files and directories for its own user only, with any umask', async () => {
    const before = process.umask(0);
    try {
      const store = fsStore({ fspath });
      await store.put('d/e/put', bytes('v'));
      await store.write('d/e/write', some(['v']));
    } finally {
      process.umask(before);
    }
    expect([await mode('d'), await mode('d', 'e')]).toEqual(['700', '700']);
    expect([await mode('d', 'e', 'put'), await mode('d', 'e', 'write')]).toEqual(['600', '600']);
  });

  it('reads files that other programs wrote, and leaves their other files alone', async () => {
    await mkdir(join(fspath, 'backups', 'b1'), { recursive: true });
    await writeFile(join(fspath, 'backups', 'b1', 'velero-backup.json'), '{}');
    await mkdir(join(fspath, 'empty'));
    await writeFile(join(fspath, 'backups', '.lateen-tmp-old'), 'half');
    const store = fsStore({ fspath });
    expect(await store.listCommonPrefixes('')).toEqual(['backups']);
    expect(await Array.fromAsync(store.list(''))).toMatchObject([
      { key: 'backups/b1/velero-backup.json', sizeBytes: 2 },
    ]);
    await store.delete('backups/b1/velero-backup.json');
    // The unfinished file may belong to another running process.
    expect(await everything(fspath)).toEqual(['backups', 'backups/.lateen-tmp-old', 'empty']);
  });

  it('does not leave its root through a link to a directory', async () => {
    await symlink(outside, join(fspath, 'link'));
    const store = fsStore({ fspath });
    expect(await store.exists('link/secret')).toBe(false);
    await expect(store.get('link/secret')).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    await expect(Array.fromAsync(store.read('link/secret'))).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    await expect(store.put('link/new', bytes('v'))).rejects.toMatchObject({
      code: 'OBJECT_KEY_INVALID',
      message: expect.stringContaining('a link in the way'),
    });
    await store.delete('link/secret');
    expect(await Array.fromAsync(store.list(''))).toEqual([]);
    expect(await Array.fromAsync(store.list('link/'))).toEqual([]);
    expect(await store.listCommonPrefixes('')).toEqual([]);
    expect(await store.listCommonPrefixes('link/')).toEqual([]);
    expect(await everything(outside)).toEqual(['secret']);
  });

  it('does not read or write through a link to a file', async () => {
    await symlink(join(outside, 'secret'), join(fspath, 'k'));
    const store = fsStore({ fspath });
    await expect(store.get('k')).rejects.toMatchObject({
      code: 'OBJECT_STORE_FORBIDDEN',
      message: expect.stringMatching(/object "k".*symbolic link/),
    });
    expect(await Array.fromAsync(store.list(''))).toEqual([]);
    await store.put('k', bytes('mine'));
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('outside-secret');
    expect(await readFile(join(fspath, 'k'), 'utf8')).toBe('mine');
  });

  it('follows a link that is the root itself', async () => {
    await symlink(fspath, join(top, 'mounted'));
    const store = fsStore({ fspath: join(top, 'mounted') });
    await store.put('k', bytes('v'));
    expect(await everything(fspath)).toEqual(['k']);
  });

  it('never creates the root, because an unmounted share must not look like an empty store', async () => {
    await rm(fspath, { recursive: true });
    await expect(fsStore({ fspath }).put('a/b', bytes('v'))).rejects.toMatchObject({
      code: 'BUCKET_NOT_FOUND',
      nextStep: expect.stringContaining('config.fspath'),
    });
    await writeFile(fspath, 'a file');
    await expect(fsStore({ fspath }).listCommonPrefixes('')).rejects.toMatchObject({ code: 'BUCKET_NOT_FOUND' });
  });

  it('reports that a key cannot be both an object and a prefix of others', async () => {
    const store = fsStore({ fspath });
    await store.put('a/b', bytes('v'));
    await store.put('c', bytes('v'));
    for (const put of [() => store.put('a', bytes('v')), () => store.put('c/d', bytes('v'))]) {
      await expect(put()).rejects.toMatchObject({
        code: 'OBJECT_KEY_INVALID',
        message: expect.stringContaining(fspath),
      });
    }
    await store.delete('a');
    expect(await everything(fspath)).toEqual(['a', 'a/b', 'c']);
  });

  it('does not wait for a FIFO', async () => {
    const { execFileSync } = await import('node:child_process');
    execFileSync('mkfifo', [join(fspath, 'pipe')]);
    const store = fsStore({ fspath });
    expect(await store.exists('pipe')).toBe(false);
    expect(await Array.fromAsync(store.list(''))).toEqual([]);
  });

  it('handles many parallel writes and deletions in one directory', async () => {
    const store = fsStore({ fspath }, { random: seededRandom(9) });
    const keys = Array.from({ length: 8 }, (_, index) => `busy/deep/${index}`);
    for (let round = 0; round < 25; round++) {
      await Promise.all(keys.map((key) => store.put(key, bytes(`${round}`)).then(() => store.delete(key))));
    }
    expect(await everything(fspath)).toEqual([]);
  });

  it('rejects an object above its size limit', async () => {
    const store = fsStore({ fspath }, { limits: { objectBytesMax: 3, entriesMax: 2 } });
    await store.put('k', bytes('four'));
    await expect(store.get('k')).rejects.toMatchObject({ message: expect.stringContaining('larger than the 3 bytes') });
    await store.put('l', bytes('v'));
    await store.put('m', bytes('v'));
    await expect(store.listCommonPrefixes('')).rejects.toMatchObject({ code: 'OBJECT_STORE_BAD_ANSWER' });
  });
});

async function* some(pieces: string[]): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) yield bytes(piece);
}
