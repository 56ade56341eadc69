import {
  type BackupPlan,
  type BlockBackupStore,
  type BlockSink,
  type BlockSource,
  blockBackupStore,
} from '@lateen/block-store';
import { nativeCodec } from '@lateen/block-store/native-codec';
import { silentLogger, systemClock, systemRandom } from '@lateen/kernel';
import { type ObjectStore, retryingStore } from '@lateen/object-store';
import { s3Store } from '@lateen/object-store-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type S3Server, startS3Server } from '../repository/s3-server.ts';

/** Backups of blocks on a real S3 server. Its clock and listings decide about locks. */
const MiB = 1024 * 1024;
const blockBytes = 2 * MiB;
const sizeBytes = 32 * MiB;
const { signal } = new AbortController();
let server: S3Server;
let objects: ObjectStore;
let store: BlockBackupStore;

beforeAll(async () => {
  server = await startS3Server();
  await server.makeBucket('bucket');
  objects = s3Store(server.location({ bucket: 'bucket' }));
  const deps = { clock: systemClock, random: systemRandom };
  store = blockBackupStore({
    ...deps,
    store: retryingStore(objects, deps),
    path: 'a/b',
    log: silentLogger,
    codec: nativeCodec,
  });
}, 120_000);

afterAll(async () => {
  await objects?.close();
  await server?.[Symbol.asyncDispose]();
});

/** Half of it can be compressed. */
function filled(salt: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes / 2; at += 4)
    bytes.writeUInt32LE((Math.imul(at + 1, 2_654_435_761) ^ salt) >>> 0, at);
  return bytes.fill('text', sizeBytes / 2, sizeBytes - 3 * blockBytes);
}

const sourceOf = (bytes: Buffer, changed: readonly (readonly [number, number])[]): BlockSource => ({
  sizeBytes: BigInt(bytes.length),
  changed: async function* (since) {
    const areas = since === undefined ? [[0, bytes.length - 3 * blockBytes] as const] : changed;
    for (const [start, length] of areas) yield { startBytes: BigInt(start), lengthBytes: BigInt(length) };
  },
  read: async (at, into) => void into.set(bytes.subarray(Number(at), Number(at) + into.length)),
});

const planOf = (volume: string, number: number): BackupPlan => ({
  volume,
  backup: `backup-000000000000000${number}`,
  snapshot: `snap-${number}`,
  snapshots: new Set(Array.from({ length: number - 1 }, (_, at) => `snap-${at + 1}`)),
  mode: 'incremental',
  blockBytes,
  compressionMethod: 'lz4',
  labels: { 'longhorn.io/volume-access-mode': 'rwo' },
  storageClassName: 'longhorn',
});

function sinkOf(bytes: Buffer): BlockSink {
  return {
    sizeBytes: BigInt(bytes.length),
    write: async (at, pieces) => void Buffer.concat(pieces).copy(bytes, Number(at)),
    zero: async (at, length) => void bytes.fill(0, Number(at), Number(at) + length),
    flush: async () => {},
  };
}

async function restored(volume: string, number: number, call: { isNew?: boolean; since?: string } = {}, onto?: Buffer) {
  const bytes = onto ?? Buffer.alloc(sizeBytes);
  await store.restore(volume, planOf(volume, number).backup, sinkOf(bytes), { signal, ...call });
  return bytes;
}

const keysOf = async (volume: string, part: string) =>
  (await Array.fromAsync(objects.list('a/b/backupstore/volumes/')))
    .map(({ key }) => key)
    .filter((key) => key.includes(`/${volume}/${part}`));

describe('a volume on a real S3 server', () => {
  const volume = 'pvc-journey';
  const first = filled(1);
  const second = Buffer.from(first);
  second.fill('changed', 5 * MiB, 7 * MiB);
  second.fill(0, 20 * MiB, 22 * MiB);

  it('is backed up, backed up again with only what changed, and restored', async () => {
    const full = await store.backup(sourceOf(first, []), planOf(volume, 1), { signal });
    expect(full).toMatchObject({ full: 'no backup before', readBytes: BigInt(sizeBytes - 3 * blockBytes) });
    expect(full.newBlocks).toBe((await keysOf(volume, 'blocks')).length);
    const changed = [
      [5 * MiB, 2 * MiB],
      [20 * MiB, 2 * MiB],
    ] as const;
    const next = await store.backup(sourceOf(second, changed), planOf(volume, 2), { signal });
    expect(next).toMatchObject({ full: undefined, readBytes: BigInt(3 * blockBytes) });
    expect((await restored(volume, 1, { isNew: true })).equals(first)).toBe(true);
    expect((await restored(volume, 2, {}, Buffer.alloc(sizeBytes, 7))).equals(second)).toBe(true);
    const since = planOf(volume, 1).backup;
    expect((await restored(volume, 2, { since }, Buffer.from(first))).equals(second)).toBe(true);
    expect(await Array.fromAsync(store.listVolumes({ signal }))).toEqual([{ name: volume }]);
  });

  it('delays a deletion while a backup runs, and keeps all blocks that another backup refers to', async () => {
    const slow = sourceOf(second, [[0, 1]]);
    const running = store.backup(
      { ...slow, read: (at, into) => systemClock.sleep(6_000).then(() => slow.read(at, into)) },
      planOf(volume, 3),
      { signal },
    );
    await systemClock.sleep(2_500);
    await expect(store.deleteBackup(volume, planOf(volume, 1).backup, { signal })).rejects.toMatchObject({
      code: 'BLOCK_STORE_LOCKED',
    });
    await running;
    const { kept, deletedBlocks } = await store.deleteBackup(volume, planOf(volume, 1).backup, { signal });
    expect([kept, deletedBlocks > 0]).toEqual([undefined, true]);
    for (const number of [2, 3]) expect((await restored(volume, number, { isNew: true })).equals(second)).toBe(true);
    expect(await store.readVolume(volume, { signal })).toMatchObject({
      blockCount: BigInt((await keysOf(volume, 'blocks')).length),
    });
    expect(await keysOf(volume, 'locks')).toEqual([]);
  });

  it('is deleted with all its files', async () => {
    await store.deleteVolume(volume, { signal });
    expect(await keysOf(volume, '')).toEqual([]);
  });
});

describe('foreign and truncated files on a real S3 server', () => {
  const volume = 'pvc-cut';
  const bytes = filled(2);
  const [backup] = [planOf(volume, 1).backup];

  beforeAll(async () => {
    await store.backup(sourceOf(bytes, []), planOf(volume, 1), { signal });
  });

  const cases: [string, string, (body: Uint8Array) => Uint8Array, string][] = [
    ['a cut volume.cfg', 'volume.cfg', (body) => body.subarray(0, 20), 'BLOCK_STORE_FILE'],
    ['an empty volume.cfg', 'volume.cfg', () => Buffer.alloc(0), 'BLOCK_STORE_FILE'],
    ['a cut backup', 'backups/', (body) => body.subarray(0, -30), 'BLOCK_STORE_FILE'],
    ['a foreign backup', 'backups/', () => Buffer.from('<html></html>'), 'BLOCK_STORE_FILE'],
    ['a cut block', 'blocks/', (body) => body.subarray(0, -30), 'BLOCK_DAMAGED'],
    ['a foreign block', 'blocks/', () => Buffer.from('PK'), 'BLOCK_DAMAGED'],
    ['a block that was overwritten', 'blocks/', (body) => Buffer.alloc(body.length, 1), 'BLOCK_DAMAGED'],
  ];
  it.each(cases)('%s is an error that names the file and the next step', async (_, part, change, code) => {
    const [key = ''] = await keysOf(volume, part);
    const body = await objects.get(key);
    await objects.put(key, change(body));
    try {
      const work = part === 'volume.cfg' ? store.readVolume(volume, { signal }) : restored(volume, 1, { isNew: true });
      await expect(work).rejects.toMatchObject({
        code,
        message: expect.stringContaining(key),
        nextStep: expect.any(String),
      });
    } finally {
      await objects.put(key, body);
    }
    expect((await store.readBackup(volume, backup, { signal })).blocks.length).toBe(13);
  });
});
