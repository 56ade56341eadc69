import { randomBytes } from 'node:crypto';
import { cp, lstat, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@lateen/kernel';
import { type DirectRestoreOptions, directBudget } from '@lateen/kopia-restore';
import { dataUploadSource } from '@lateen/repository';
import { type DistantStore, startDistantStore } from '@lateen/store-rig';
import { recordingLog } from '@lateen/testing';
import { describeTree } from '@lateen/testing/trees';
import { execa } from 'execa';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { directWay } from '../repository/direct-way.ts';
import { filesBelow, repositoryRig, testPassword } from '../repository/repository-rig.ts';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

const setUpMs = 900_000;
const MiB = 1024 ** 2;
const never = new AbortController().signal;
const isRoot = process.getuid?.() === 0;

let server: S3Server;
let store: DistantStore;
let source: string;
let snapshotID: string;
let sound: string[];
let copies = 0;

/** Many small files, several large ones with different content, empty ones, links. */
const tree = `
for d in $(seq 1 12); do mkdir -p d$d; for f in $(seq 1 120); do head -c 100 /dev/urandom > d$d/f$f; done; done
for l in 1 2 3 4; do head -c 12000000 /dev/urandom > large$l; done
touch empty; ln -s d1/f1 link; chmod 750 d2; touch -d @1700000000.123456789 d1/f1`;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('backups');
  store = await startDistantStore({ upstream: server.endpoint, clock: systemClock });
  source = await directory('source');
  await execa('/bin/bash', ['-euc', tree], { cwd: source });
  const rig = await repositoryRig(server, { prefix: 'sound' });
  await rig.initialise();
  ({ snapshotID } = await rig.upload(source));
  sound = describeTree(source);
}, setUpMs);

afterEach(() => {
  store.onRequest = undefined;
  store.set({});
});

afterAll(async () => {
  await store[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const directory = (name: string) => mkdtemp(join(server.directory, `${name}-`));

/** A copy of the repository to be damaged, and the restore of its snapshot through a simulated remote store. */
async function broken() {
  const prefix = `copy-${++copies}`;
  const buckets = join(server.directory, 'buckets', 'backups');
  await cp(join(buckets, 'sound'), join(buckets, prefix), { recursive: true });
  const blobs = join(buckets, prefix, 'kopia', 'shop');
  const rig = await repositoryRig(server, { prefix, endpoint: store.endpoint }, testPassword, 'direct');
  const volume = await directory('volume');
  const restore = (signal = never, volumePath = volume) =>
    rig.use((uploader) =>
      uploader.download({ snapshotID, volumePath, volumeMode: 'Filesystem', config: {}, onProgress: () => {}, signal }),
    );
  return { rig, blobs, volume, restore, scratch: rig.workDirectory };
}

/** Packs with this prefix, the largest first. */
async function packsOf(blobs: string, letter: 'p' | 'q' | 'x'): Promise<string[]> {
  const found = await execa('find', [blobs, '-type', 'f', '-printf', '%s %p\n']);
  return found.stdout
    .split('\n')
    .map((line) => line.split(' ') as [string, string])
    .filter(([, path]) => path.slice(blobs.length + 1).startsWith(letter))
    .sort(([a], [b]) => Number(b) - Number(a))
    .map(([, path]) => path);
}

async function flip(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0x40;
  await rm(path);
  await writeFile(path, bytes);
}

/**
 * No file has other bytes than in the snapshot: a small file is complete or empty; an incomplete large file has correct bytes or zeroes,
 * and does not look complete.
 */
async function mustHoldNothingElse(volume: string): Promise<void> {
  const entries = await readdir(volume, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    const original = join(source, path.slice(volume.length));
    const [have, want] = await Promise.all([readFile(path), readFile(original)]);
    if (have.equals(want) || have.length === 0) continue;
    const [there, was] = await Promise.all([lstat(path, { bigint: true }), lstat(original, { bigint: true })]);
    expect(want.length, `${path} is not whole`).toBeGreaterThan(MiB);
    expect(there.mtimeNs === was.mtimeNs && there.size === was.size, `${path} looks whole`).toBe(false);
    const other = have.findIndex((byte, at) => byte !== 0 && byte !== want[at]);
    expect(other, `${path} has another byte`).toBe(-1);
  }
}

async function failureOf(restore: Promise<unknown>): Promise<{ code: string; text: string }> {
  const error = await restore.then(
    () => undefined,
    (it: unknown) => it as Error & { code: string },
  );
  if (error === undefined) throw new Error('the restore went well');
  const texts: string[] = [];
  for (let each: unknown = error; each instanceof Error; each = each.cause) texts.push(each.message);
  return { code: error.code, text: texts.join(' | ') };
}

describe('a restore from damaged packs', () => {
  it.each<[string, 'p' | 'q' | 'x', (path: string) => Promise<void>, string, RegExp]>([
    ['missing', 'p', (path) => rm(path), 'UPLOADER_DATA_MISSING', /p[0-9a-f]{32}/],
    ['cut', 'p', (path) => truncate(path, 1_000), 'UPLOADER_DATA_MISSING', /pack p[0-9a-f]{32}.* is shorter/],
    [
      'other bytes of the same length',
      'p',
      (path) => flip(path, 40_000),
      'CONTENT_CORRUPT',
      /(large\d|d\d+\/f\d+) cannot be restored.*pack p/,
    ],
    ['a pack of folders that is missing', 'q', (path) => rm(path), 'UPLOADER_DATA_MISSING', /q[0-9a-f]{32}/],
    ['a pack of folders with other bytes', 'q', (path) => flip(path, 2_000), 'CONTENT_CORRUPT', /pack q/],
    ['an index with other bytes', 'x', (path) => flip(path, 100), 'INDEX_CORRUPT', /x/],
  ])('(%s) fails, names the cause, and writes no other bytes', async (_, letter, damage, code, text) => {
    const { blobs, volume, restore, scratch } = await broken();
    const packs = await packsOf(blobs, letter);
    for (const pack of packs.slice(0, letter === 'p' ? 1 : packs.length)) await damage(pack);
    const failure = await failureOf(restore());
    expect(failure).toEqual({ code, text: expect.stringMatching(text) });
    await mustHoldNothingElse(volume);
    expect([...(await filesBelow(scratch)).keys()]).toEqual([]);
  });

  it('detects every flipped byte, at any place', async () => {
    const { blobs, volume, restore } = await broken();
    const [pack = ''] = await packsOf(blobs, 'p');
    const { size } = await lstat(pack);
    for (let at = 100; at < size; at += Math.floor(size / 7)) await flip(pack, at);
    expect((await failureOf(restore())).code).toBe('CONTENT_CORRUPT');
    await mustHoldNothingElse(volume);
  });

  it('detects packs that change while it runs', async () => {
    const { blobs, volume, restore } = await broken();
    const packs = await packsOf(blobs, 'p');
    let ranges = 0;
    let changing: Promise<unknown> | undefined;
    store.onRequest = ({ path }) => {
      if (/\/p[0-9a-f]{3}/.test(path) || path.includes('/p')) ranges++;
      if (ranges === 2) changing ??= Promise.all(packs.map((pack) => flip(pack, 300_000)));
      return undefined;
    };
    const ended = await restore().then(
      () => 'well',
      (error: { code: string }) => error.code,
    );
    await changing;
    expect(['well', 'CONTENT_CORRUPT', 'UPLOADER_DATA_MISSING']).toContain(ended);
    if (ended === 'well') expect(describeTree(volume)).toEqual(sound);
    await mustHoldNothingElse(volume);
  });
});

describe('a restore from a store that fails sometimes', () => {
  it.each([
    ['503', { status: 503, code: 'SlowDown' }],
    ['429', { status: 429, code: 'TooManyRequests' }],
    ['500', { status: 500, code: 'InternalError' }],
    ['answers that are cut after their head', { cutAfterBytes: 700 }],
    ['answers that are cut late', { cutAfterBytes: 150_000 }],
  ])('(%s) continues and restores everything', async (_, fault) => {
    const { volume, restore } = await broken();
    let requests = 0;
    store.onRequest = () => (++requests % 3 === 0 ? fault : undefined);
    await restore();
    expect(describeTree(volume)).toEqual(sound);
  });

  it('continues after a store that was not reachable for some seconds', async () => {
    const { volume, restore } = await broken();
    let isOver = false;
    let requests = 0;
    store.onRequest = () => {
      if (++requests === 12) {
        store.set({ unreachable: true });
        void systemClock.sleep(4_000).then(() => {
          isOver = true;
          store.set({});
        });
      }
      return undefined;
    };
    await restore();
    expect(isOver).toBe(true);
    expect(describeTree(volume)).toEqual(sound);
  });
});

describe('a restore that is stopped', () => {
  it.each([1, 3, 6, 9, 12])(
    'at request %d: ends with the reason, writes no more, leaves nothing in scratch',
    async (at) => {
      const { volume, restore, scratch } = await broken();
      const cancel = new AbortController();
      store.set({ latencyMs: 5, bytesPerSecond: 40 * MiB });
      let requests = 0;
      store.onRequest = () => {
        if (++requests === at) cancel.abort(new Error('canceled by the test'));
        return undefined;
      };
      await expect(restore(cancel.signal)).rejects.toThrow('canceled by the test');
      const stopped = describeTree(volume);
      await systemClock.sleep(300);
      expect(describeTree(volume)).toEqual(stopped);
      expect([...(await filesBelow(scratch)).keys()]).toEqual([]);
      await mustHoldNothingElse(volume);
    },
  );
});

describe.skipIf(!isRoot)('a restore into a volume that cannot take it', () => {
  const mounted = async (options: string[], act: (path: string) => Promise<void>) => {
    const path = await directory('mount');
    await execa('mount', [...options, path]);
    try {
      await act(path);
    } finally {
      await execa('umount', [path]);
    }
  };

  it('because it is full: reports that, and writes no wrong bytes', async () => {
    const { restore } = await broken();
    await mounted(['-t', 'tmpfs', '-o', 'size=20m', 'lateen-test'], async (path) => {
      const failure = await failureOf(restore(never, path));
      expect(failure).toEqual({ code: 'UPLOADER_VOLUME_FULL', text: expect.stringMatching(/the volume is full/) });
      await mustHoldNothingElse(path);
    });
  });

  it('because it is read-only: reports that', async () => {
    const { restore } = await broken();
    await mounted(['-t', 'tmpfs', '-o', 'ro', 'lateen-test'], async (path) => {
      expect((await failureOf(restore(never, path))).code).toBe('UPLOADER_TARGET_NOT_WRITABLE');
    });
  });
});

describe.skipIf(!isRoot)('a block device that is restored from packs', () => {
  const loops: string[] = [];
  /** A real device over a file that is filled with noise, so that unwritten areas are visible. */
  async function aDevice(content: Buffer): Promise<{ device: string; file: string }> {
    const file = join(await directory('device'), 'file');
    await writeFile(file, content);
    const { stdout: device } = await execa('losetup', ['--find', '--show', file]);
    loops.push(device);
    return { device, file };
  }
  afterEach(async () => {
    for (const loop of loops.splice(0)) await execa('losetup', ['--detach', loop]);
  });

  const data = randomBytes(40 * MiB).fill(0, 12 * MiB, 18 * MiB);
  const noise = Buffer.alloc(data.length, 0xa5);
  const block = (rig: Awaited<ReturnType<typeof repositoryRig>>, device: string, signal = never) =>
    rig.use((uploader) => {
      const request = { snapshotID: deviceSnapshot, volumePath: device, volumeMode: 'Block' as const, config: {} };
      return uploader.download({ ...request, onProgress: () => {}, signal });
    });
  let deviceSnapshot = '';

  it('has the content of the snapshot or its old content, however the restore ends', async () => {
    const { device: from } = await aDevice(data);
    const sourceRig = await repositoryRig(server, { prefix: 'sound' });
    const source = dataUploadSource('shop', 'block', 'op-2');
    const upload = { volumePath: from, volumeMode: 'Block' as const, source, config: {}, onProgress: () => {} };
    ({ snapshotID: deviceSnapshot } = await sourceRig.use((uploader) => uploader.upload({ ...upload, signal: never })));
    const mustHold = async (file: string) => {
      const have = await readFile(file);
      const other = have.findIndex((byte, at) => byte !== data[at] && byte !== 0xa5 && byte !== 0);
      expect(other).toBe(-1);
    };

    const cancelled = await broken();
    const first = await aDevice(noise);
    const cancel = new AbortController();
    store.set({ bytesPerSecond: 20 * MiB });
    store.reset();
    const stopping = block(cancelled.rig, first.device, cancel.signal);
    stopping.catch(() => {});
    while (store.figures().sentBytes < 24 * MiB) await systemClock.sleep(10);
    cancel.abort(new Error('canceled by the test'));
    await expect(stopping).rejects.toThrow('canceled by the test');
    await mustHold(first.file);
    store.set({});

    const damaged = await broken();
    const second = await aDevice(noise);
    for (const pack of (await packsOf(damaged.blobs, 'p')).slice(0, 3)) await flip(pack, 2_000_000);
    expect((await failureOf(block(damaged.rig, second.device))).code).toBe('CONTENT_CORRUPT');
    await mustHold(second.file);

    // The device of the first restore again.
    await block(cancelled.rig, first.device);
    expect((await readFile(first.file)).equals(data)).toBe(true);
  });
});

describe('a mover without enough room', () => {
  const budget = directBudget({ memoryBytes: undefined, cpus: 2, bytesPerSecondMax: undefined });

  interface Attempt {
    sinceNs?: bigint;
    /** Repository and snapshot; default: the intact ones. */
    of?: { prefix: string; snapshotID: string };
    signal?: AbortSignal;
    whenOpen?: (scratchDirectory: string) => Promise<void>;
  }

  /** Restores the tree alone, with another budget or scratch directory. */
  async function restoreWith(
    more: Partial<DirectRestoreOptions>,
    volumePath: string,
    { sinceNs, of = { prefix: 'sound', snapshotID }, signal = never, whenOpen }: Attempt = {},
  ) {
    const location = server.location({ prefix: of.prefix, endpoint: store.endpoint });
    const target = { location, volumeNamespace: 'shop', password: testPassword, uid: 'u', cacheLimitMB: 100 };
    const scratchDirectory = await directory('scratch');
    const direct = await directWay(target, { log: recordingLog(), scratchDirectory }, more)(signal);
    try {
      await whenOpen?.(scratchDirectory);
      const { rootEntry } = (await direct.manifest(of.snapshotID, signal)) as { rootEntry: unknown };
      const request = { volumePath, rootEntry, totalBytes: 0, totalFiles: undefined, writesSparse: false };
      const there = { sinceNs, skipsUnchanged: false };
      return await direct.restoreTree(
        { ...request, there, writersMax: 2, onProgress: () => {}, flush: async () => {} },
        signal,
      );
    } finally {
      await direct.close();
      expect(await readdir(scratchDirectory)).toEqual([]);
    }
  }

  it.skipIf(!isRoot)('in scratch: the restore continues', async () => {
    const scratchDirectory = await directory('full');
    await execa('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'lateen-test', scratchDirectory]);
    try {
      await writeFile(join(scratchDirectory, 'filler'), Buffer.alloc(100 * 1024)).catch(() => {});
      const volume = await directory('volume');
      // No memory for indexes, so that they are written to scratch.
      const log = recordingLog();
      await restoreWith({ scratchDirectory, log, budget: { ...budget, indexBytes: 0 } }, volume);
      expect(JSON.stringify(log.lines)).toContain('scratch cannot hold the index of the repository');
      expect(describeTree(volume)).toEqual(sound);
    } finally {
      await execa('umount', [scratchDirectory]);
    }
  });

  it('has no named file in scratch that could be deleted while it runs', async () => {
    const volume = await directory('volume');
    let named: string[] = ['unseen'];
    const whenOpen = async (scratch: string) => {
      named = await readdir(scratch);
    };
    await restoreWith({ budget: { ...budget, indexBytes: 0 } }, volume, { whenOpen });
    expect(named).toEqual([]);
    expect(describeTree(volume)).toEqual(sound);
  });

  it('in the memory of a thread: fails, and the error says what helps', async () => {
    const volume = await directory('volume');
    const failure = restoreWith({ budget: { ...budget, workerHeapMB: 3 } }, volume);
    await expect(failure).rejects.toMatchObject({ code: 'WORKER_DIED', nextStep: 'Give the pod more memory.' });
    await mustHoldNothingElse(volume);
  });

  it('that is stopped during a large file: the next attempt requests only missing parts', async () => {
    const large = await directory('large');
    await writeFile(join(large, 'file'), randomBytes(48 * MiB));
    const rig = await repositoryRig(server, { prefix: 'large' });
    await rig.initialise();
    const of = { prefix: 'large', snapshotID: (await rig.upload(large)).snapshotID };
    const few = { budget: { ...budget, readerBytes: 4 * MiB } };
    store.reset();
    await restoreWith(few, await directory('volume'), { of });
    const fromNothing = store.figures();

    const volume = await directory('volume');
    const sinceNs = BigInt(systemClock.now()) * 1_000_000n;
    const cancel = new AbortController();
    store.set({ bytesPerSecond: 20 * MiB });
    const stopping = restoreWith(few, volume, { of, signal: cancel.signal });
    stopping.catch(() => {});
    const writtenBytes = async () => (await lstat(join(volume, 'file')).catch(() => ({ blocks: 0 }))).blocks * 512;
    while ((await writtenBytes()) < 24 * MiB) await systemClock.sleep(10);
    cancel.abort(new Error('stopped'));
    await expect(stopping).rejects.toThrow('stopped');

    store.set({});
    store.reset();
    const { counts } = await restoreWith(few, volume, { of, sinceNs });
    expect(counts).toMatchObject({ files: 1, bytes: 48 * MiB });
    expect(describeTree(volume)).toEqual(describeTree(large));
    expect(store.figures().sentBytes).toBeLessThan(fromNothing.sentBytes - 20 * MiB);
    expect(store.figures().ranges).toBeLessThan(fromNothing.ranges);
  });

  it('that is killed: the next attempt fetches only what is missing', async () => {
    const volume = await directory('volume');
    const sinceNs = BigInt(systemClock.now()) * 1_000_000n;
    const cancel = new AbortController();
    // A small budget, so that some files are complete and some are not.
    const few = { budget: { ...budget, readerBytes: 4 * MiB } };
    store.set({ bytesPerSecond: 20 * MiB });
    store.reset();
    const killing = restoreWith(few, volume, { signal: cancel.signal });
    killing.catch(() => {});
    while (store.figures().sentBytes < 35 * MiB) await systemClock.sleep(10);
    cancel.abort(new Error('killed'));
    await expect(killing).rejects.toThrow('killed');
    store.set({});
    store.reset();
    const { counts } = await restoreWith({}, volume, { sinceNs });
    expect(store.figures().sentBytes).toBeLessThan(30 * MiB);
    expect(counts.files).toBeGreaterThan(1_400);
    expect(describeTree(volume)).toEqual(sound);
  });
});
