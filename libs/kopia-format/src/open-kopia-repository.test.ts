import { createCipheriv, createHmac } from 'node:crypto';
import { tmpdir } from 'node:os';
import { AppError } from '@lateen/errors';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { describe, expect, it } from 'vitest';
import type { ContentKeys } from './content-keys.ts';
import { blobStore, goldenBlobs, goldenPassword } from './golden/golden-store.ts';
import { type WrittenEntry, writeIndex2 } from './golden/write-index.ts';
import { snapshotRoot } from './manifests/snapshot-root.ts';
import { folderEntries } from './objects/folder-entries.ts';
import type { FolderEntry } from './objects/folder-entry.ts';
import { readObject } from './objects/read-object.ts';
import { openKopiaRepository } from './open-kopia-repository.ts';

const { signal } = new AbortController();
const open = (
  blobs: ReadonlyMap<string, Uint8Array>,
  password = goldenPassword,
  store = blobStore(blobs),
  ends: AbortSignal = signal,
) =>
  openKopiaRepository(
    {
      ...store,
      password,
      name: 'bucket "b"',
      scratchDirectory: tmpdir(),
      memoryBytes: 2 ** 20,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    },
    ends,
  );
type Repository = Awaited<ReturnType<typeof open>>;

const bytesOf = async (repository: Repository, objectId: FolderEntry['objectId']) => {
  const pieces: Uint8Array[] = [];
  if (objectId !== undefined)
    for await (const piece of readObject(objectId, (id, ends) => repository.readContent(id, ends), signal))
      pieces.push(piece);
  return Buffer.concat(pieces);
};
const entriesOf = async (repository: Repository, objectId: FolderEntry['objectId']) => {
  const entries: FolderEntry[] = [];
  for await (const group of folderEntries([await bytesOf(repository, objectId)])) entries.push(...group);
  return new Map(entries.map((entry) => [entry.name, entry]));
};
const rootOf = async (repository: Repository) => {
  const [snapshot] = await repository.findManifests({ type: 'snapshot' }, signal);
  return snapshot && snapshotRoot(snapshot).objectId;
};

describe('a repository created by kopia', () => {
  it('is read without kopia: snapshot, folders, files, links', async () => {
    const repository = await open(goldenBlobs());
    const root = await entriesOf(repository, await rootOf(repository));
    expect([...root.keys()].sort()).toEqual(['empty', 'folder', 'hello.txt', 'link', 'zeros']);
    expect(root.get('hello.txt')).toMatchObject({
      type: 'file',
      mode: 0o4750,
      size: 6,
      uid: 0,
      gid: 0,
      mtimeNs: 1_577_934_245_123_456_789n,
    });
    const text = async (name: string) => (await bytesOf(repository, root.get(name)?.objectId)).toString();
    expect([await text('hello.txt'), await text('link'), await text('empty')]).toEqual(['hello\n', 'hello.txt', '']);
    expect(await text('zeros')).toBe('z'.repeat(300_000));
    expect(root.get('link')).toMatchObject({ type: 'link', mode: 0o777 });
    expect(root.get('folder')?.tree).toMatchObject({ files: 1, bytes: 12 });
    const folder = await entriesOf(repository, root.get('folder')?.objectId);
    expect((await bytesOf(repository, folder.get('inner.txt')?.objectId)).toString()).toBe('in a folder\n');
    await repository.close();
  });

  it('finds manifests by their labels and by their ID', async () => {
    const repository = await open(goldenBlobs());
    const [policy] = await repository.findManifests({ type: 'policy', policyType: 'global' }, signal);
    expect(await repository.manifest(policy?.id ?? '', signal)).toEqual(policy);
    expect(policy?.data).toMatchObject({ compression: { compressorName: 'zstd' } });
    expect(await repository.findManifests({ type: 'snapshot', path: '/other' }, signal)).toEqual([]);
    await expect(repository.manifest('none', signal)).rejects.toMatchObject({ code: 'MANIFEST_NOT_FOUND' });
  });

  it('lists all contents once, also in two halves by pack', async () => {
    const repository = await open(goldenBlobs());
    const idsOf = async (wanted: (packId: string) => boolean) => {
      const ids: string[] = [];
      for await (const group of repository.allContents(wanted, signal)) ids.push(...group.map((it) => it.contentId));
      return ids;
    };
    const all = await idsOf(() => true);
    expect(new Set(all).size).toBe(all.length);
    expect(all.length).toBeGreaterThan(5);
    expect(all.length).toBeLessThanOrEqual(repository.contentsMax);
    for (const location of await repository.locate(all, signal)) expect(location).toBeDefined();
    const halves = [await idsOf((id) => id.startsWith('p')), await idsOf((id) => !id.startsWith('p'))];
    expect(halves.flat().sort()).toEqual(all.sort());
    expect(halves.every(({ length }) => length > 0)).toBe(true);
  });

  it("does not open with another password, with the engine's message", async () => {
    await expect(open(goldenBlobs(), 'other')).rejects.toMatchObject({
      code: 'REPOSITORY_PASSWORD_WRONG',
      message: 'the repository at bucket "b" does not open with the repository password',
    });
  });

  it('reports a missing or damaged repository by error code', async () => {
    await expect(open(new Map())).rejects.toMatchObject({ code: 'REPOSITORY_NOT_FOUND' });
    await expect(open(goldenBlobs().set('kopia.repository', Buffer.from('{"uni')))).rejects.toMatchObject({
      code: 'REPOSITORY_CORRUPTED',
    });
  });

  it('returns no wrong bytes when a byte of a pack was changed', async () => {
    const blobs = goldenBlobs();
    const repository = await open(blobs);
    const root = await entriesOf(repository, await rootOf(repository));
    const { contentId = '' } = root.get('zeros')?.objectId ?? {};
    const [location] = await repository.locate([contentId], signal);
    const { packId = '', offset = 0, length = 0 } = location ?? {};
    const pack = Buffer.from(blobs.get(packId) ?? []);
    for (let at = offset; at < offset + length; at++) {
      const changed = Buffer.from(pack);
      changed[at] = (changed[at] ?? 0) ^ 1;
      blobs.set(packId, changed);
      await expect(repository.readContent(contentId, signal)).rejects.toMatchObject({ code: 'CONTENT_CORRUPT' });
    }
  });

  it('reads its index again once for an unknown content, and then reports it as missing', async () => {
    const whole = await open(goldenBlobs());
    const { contentId = '' } = (await rootOf(whole)) ?? {};
    const blobs = goldenBlobs();
    const later = [...blobs].filter(([blobId]) => blobId.startsWith('xn'));
    for (const [blobId] of later) blobs.delete(blobId);
    const repository = await open(blobs);
    await expect(repository.readContent(contentId, signal)).rejects.toMatchObject({
      code: 'CONTENT_MISSING',
      message: expect.stringContaining(contentId),
    });
    for (const [blobId, bytes] of later) blobs.set(blobId, bytes);
    expect(await repository.locate([contentId, '00'.repeat(16)], signal)).toMatchObject([{ contentId }, undefined]);
  });

  it('finds a content in the pack to which maintenance has moved it', async () => {
    const blobs = goldenBlobs();
    const repository = await open(blobs);
    const { contentId = '' } = (await rootOf(repository)) ?? {};
    const [location] = await repository.locate([contentId], signal);
    const { packId = '', ...rest } = location ?? {};
    const bytes = await repository.readContent(contentId, signal);
    const moved = `q${'7'.repeat(32)}`;
    blobs.set(moved, blobs.get(packId) ?? new Uint8Array());
    blobs.delete(packId);
    await expect(repository.readContent(contentId, signal)).rejects.toMatchObject({ code: 'OBJECT_NOT_FOUND' });
    const written = { ...rest, contentId, packId: moved, time: 4e9, isDeleted: false } as WrittenEntry;
    const [index, sealed] = sealedIndex(repository.keys, writeIndex2([written], 17, 4e9));
    blobs.set(index, sealed);
    expect(Buffer.from(await repository.readContent(contentId, signal)).equals(bytes)).toBe(true);
  });

  it('lists its index blobs again when one was compacted between the list and the read', async () => {
    const blobs = goldenBlobs();
    const [[gone, bytes] = ['', new Uint8Array()]] = [...blobs].filter(([blobId]) => blobId.startsWith('xn0_'));
    const store = blobStore(blobs);
    const { get } = store.store;
    let reads = 0;
    store.store.get = (key, options) => {
      if (key.endsWith(gone) && ++reads === 1) return Promise.reject(new AppError('OBJECT_NOT_FOUND', 'gone'));
      return get(key, options);
    };
    expect(bytes.length).toBeGreaterThan(0);
    const repository = await open(blobs, goldenPassword, store);
    expect(reads).toBe(2);
    expect(await repository.findManifests({ type: 'snapshot' }, signal)).toHaveLength(1);
  });

  it('is rejected when an index blob is damaged, and the error names the blob', async () => {
    const blobs = goldenBlobs();
    const [gone = ''] = [...blobs.keys()].filter((blobId) => blobId.startsWith('xn0_'));
    blobs.set(gone, Buffer.alloc(200, 1));
    await expect(open(blobs)).rejects.toMatchObject({
      code: 'INDEX_CORRUPT',
      message: expect.stringContaining(gone),
    });
  });

  it('stops opening when it is aborted', async () => {
    const aborted = new AbortController();
    const store = blobStore(goldenBlobs());
    const { list } = store.store;
    store.store.list = (prefix, options) => {
      aborted.abort(new Error('enough'));
      options?.signal?.throwIfAborted();
      return list(prefix, options);
    };
    await expect(open(new Map(), goldenPassword, store, aborted.signal)).rejects.toThrow('enough');
  });
});

/** An index blob as kopia encrypts it. */
function sealedIndex(keys: ContentKeys, bytes: Uint8Array): [string, Uint8Array] {
  const hash = '5'.repeat(32);
  const iv = Buffer.from(hash, 'hex');
  const key = createHmac('sha256', keys.encryptionSecret).update(iv).digest();
  const nonce = Buffer.alloc(12, 1);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(iv);
  return [`xn0_${hash}-s1-c1`, Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])];
}
