import { mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { InstanceEvent, TransferProgress } from '@lateen/block-engine';
import { lockFileText, lockTypes } from '@lateen/block-store';
import { systemClock as clock } from '@lateen/kernel';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type BackupRig,
  backupRig,
  blockBytes,
  endOf,
  filesWith,
  movedSome,
  noise,
  readAll,
  restored,
  transferOf,
  writeAt,
} from '../block/backup-rig.ts';
import { o, processesOf, type RigNode } from '../block/instance-manager-rig.ts';
import { volume } from '../block/instance-manager-volume.ts';
import { type S3Server, s3Keys, startS3Server } from '../repository/s3-server.ts';

const MiB = 1024 * 1024;
const testMs = 300_000;
let server: S3Server;
let rig: BackupRig | undefined;

beforeAll(async () => {
  server = await startS3Server();
}, 120_000);
afterAll(() => server?.[Symbol.asyncDispose]());
afterEach(async () => {
  process.kill(server.pid, 'SIGCONT');
  await rig?.[Symbol.asyncDispose]();
  rig = undefined;
}, testMs);

const started = async (path: string): Promise<BackupRig> => {
  rig = await backupRig(server, path);
  return rig;
};

const transfersOn = async ({ host }: RigNode): Promise<InstanceEvent[]> => {
  const found: InstanceEvent[] = [];
  for await (const event of host.watch({ signal: clock.deadline(20_000) })) {
    if (event.type === 'synced') break;
    if (event.type === 'changed' && event.instance.kind === 'transfer') found.push(event);
  }
  return found;
};

/** Remains of transfers on a node: processes, folders, notes, records. */
async function leftovers({ runtime }: RigNode): Promise<string[]> {
  const processes = (await processesOf(runtime)).filter(({ command }) => command.includes(' transfer --config'));
  const names = await Promise.all(
    ['t', 'instances', 'processes'].map(async (folder) => {
      const all = await readdir(join(runtime, folder)).catch(() => [] as string[]);
      return all.filter((name) => folder === 't' || name.startsWith('transfer-'));
    }),
  );
  return [...processes.map(({ command }) => command), ...names.flat()];
}

describe('backups of a volume on two instance managers', () => {
  it('are made from any replica, read only what changed, and are restored byte for byte', {
    timeout: testMs,
  }, async () => {
    const { managed, snapshot, backup, restore, link } = await started('journey');
    const [n1, n2] = managed.nodes;
    const source = await link((await managed.engine(1, { 'r-a': 0, 'r-b': 1 })).endpoint);
    await writeAt(source, 0, noise(24 * MiB, 1));
    await writeAt(source, 300 * MiB, Buffer.alloc(8 * MiB, 'text'));
    await source.trim(4n * BigInt(MiB), 4 * MiB);
    await snapshot('s-1');
    const first = await endOf(backup(n2, { backup: 'b-1', snapshot: 's-1', replica: 'r-b' }));
    expect(first).toMatchObject({ ended: true, totalBytes: BigInt(28 * MiB), doneBytes: BigInt(28 * MiB) });
    expect(first.error).toBeUndefined();
    const asFirst = await readAll(source, volume.bytes);

    // 20 MiB in five pieces, none at the start of a block.
    for (const [n, at] of [30, 101, 162, 223, 321].entries())
      await writeAt(source, at * MiB + 512, noise(4 * MiB, 10 + n));
    await snapshot('s-2');
    const second = await endOf(backup(n1, { backup: 'b-2', snapshot: 's-2', replica: 'r-a' }));
    expect(second).toMatchObject({ ended: true });
    expect(second.error).toBeUndefined();
    expect(Number(second.totalBytes)).toBeLessThanOrEqual(60 * MiB);
    expect(Number(second.totalBytes)).toBeGreaterThanOrEqual(20 * MiB);
    const asSecond = await readAll(source, volume.bytes);

    const sink = await link((await managed.engine(1, { 'r-c': 0 }, {}, restored)).endpoint);
    const full = await endOf(restore({ restore: 'to-1', backup: 'b-1', isNew: true }));
    expect(full).toMatchObject({ ended: true, totalBytes: BigInt(28 * MiB) });
    expect(full.error).toBeUndefined();
    expect((await readAll(sink, volume.bytes)).equals(asFirst)).toBe(true);
    const next = await endOf(restore({ restore: 'to-2', backup: 'b-2', since: 'b-1' }));
    expect(next.error).toBeUndefined();
    expect(next.totalBytes).toBe(second.totalBytes);
    expect((await readAll(sink, volume.bytes)).equals(asSecond)).toBe(true);

    // A repeated request gets the end of the transfer, also from a serve process that was started since.
    await n1.kill();
    await n1.start();
    expect(await endOf(backup(n1, { backup: 'b-2', snapshot: 's-2', replica: 'r-a' }))).toEqual(second);
    for (const name of ['b-2', 'to-1', 'to-2']) await managed.stop(n1, 'transfer', name, 0);
    await managed.stop(n2, 'transfer', 'b-1', 0);
    for (const node of managed.nodes) {
      expect(await leftovers(node)).toEqual([]);
      expect(await transfersOn(node)).toEqual([]);
    }
  });
});

describe('a backup that is interrupted', () => {
  /** Large enough to be still running when its store is stopped. */
  const begunAndHeld = async ({ managed, snapshot, backup, link }: BackupRig) => {
    const source = await link((await managed.engine(1, { 'r-a': 0, 'r-b': 1 })).endpoint);
    await writeAt(source, 0, noise(64 * MiB, 3));
    await snapshot('s-1');
    const stream = backup(managed.nodes[0], { backup: 'b-1', snapshot: 's-1', replica: 'r-a', workers: 1 });
    await movedSome(stream);
    process.kill(server.pid, 'SIGSTOP');
    return (await transferOf(managed.nodes[0])) ?? 0;
  };
  const again = ({ managed, backup }: BackupRig, replica = 'r-a') =>
    endOf(backup(managed.nodes[replica === 'r-a' ? 0 : 1], { backup: 'b-1', snapshot: 's-1', replica }));
  const comesBack = async ({ managed, restore, link }: BackupRig) => {
    const sink = await link((await managed.engine(1, { 'r-c': 0 }, {}, restored)).endpoint);
    expect((await endOf(restore({ restore: 'to-1', backup: 'b-1', isNew: true }))).error).toBeUndefined();
    expect((await readAll(sink, 64 * MiB)).equals(noise(64 * MiB, 3))).toBe(true);
  };

  it('by a kill of its process reports that, starts again when it is requested again, and its lock is valid until it expires', {
    timeout: testMs,
  }, async () => {
    const world = await started('killed');
    const [n1] = world.managed.nodes;
    process.kill(await begunAndHeld(world), 'SIGKILL');
    await expect
      .poll(() => transfersOn(n1), { timeout: 60_000, interval: 500 })
      .toMatchObject([
        {
          instance: {
            ...{ state: 'error', error: { code: 'TRANSFER_ENDED' } },
            transfer: { ended: true, error: { code: 'TRANSFER_ENDED' } },
          },
        },
      ]);
    process.kill(server.pid, 'SIGCONT');
    // Backups of one volume do not wait for each other's locks; a deletion waits until the lock of a dead process has expired.
    expect((await again(world)).error).toBeUndefined();
    const locks = await world.filesOf('locks');
    expect(locks).toHaveLength(1);
    // As if it had been killed at this moment, however busy this machine is.
    for (const lock of locks) await utimes(lock, new Date(clock.now()), new Date(clock.now()));
    await expect(world.store.deleteBackup(volume.name, 'b-1', o)).rejects.toMatchObject({ code: 'BLOCK_STORE_LOCKED' });
    await comesBack(world);
    const longAgo = new Date(clock.now() - 200_000);
    for (const lock of locks) await utimes(lock, longAgo, longAgo);
    await world.store.deleteBackup(volume.name, 'b-1', o);
    expect(await world.filesOf('blocks')).toEqual([]);
  });

  it('by a kill of serve continues in the same process, with the daemon that it reads and a new watch', {
    timeout: testMs,
  }, async () => {
    const world = await started('serve');
    const [n1] = world.managed.nodes;
    const pid = await begunAndHeld(world);
    await n1.kill();
    await n1.start();
    process.kill(server.pid, 'SIGCONT');
    expect(await transferOf(n1)).toBe(pid);
    const last = await again(world);
    expect(last.error).toBeUndefined();
    expect(last).toMatchObject({
      ended: true,
      totalBytes: BigInt(64 * MiB),
      url: expect.stringContaining('backup=b-1'),
    });
    await comesBack(world);
    const secret = s3Keys.secretAccessKey;
    for (const { runtime } of world.managed.nodes) expect(await filesWith(runtime, secret)).toEqual([]);
  });

  it('by the end of the daemon that it reads reports that, and can be made from another replica', {
    timeout: testMs,
  }, async () => {
    const world = await started('daemon');
    const [n1] = world.managed.nodes;
    await begunAndHeld(world);
    const daemon = (await processesOf(n1.runtime)).find(({ command }) => /^\S*qemu-storage-daemon /.test(command));
    process.kill(daemon?.pid ?? 0, 'SIGKILL');
    process.kill(server.pid, 'SIGCONT');
    const last = await again(world);
    expect(last).toMatchObject({ ended: true, error: { code: 'INSTANCE_NOT_FOUND' } });
    await world.managed.stop(n1, 'transfer', 'b-1', 0);
    expect(await leftovers(n1)).toEqual([]);
    expect((await again(world, 'r-b')).error).toBeUndefined();
    await comesBack(world);
  });

  it('by a stop leaves no process, no note and no lock', { timeout: testMs }, async () => {
    const world = await started('stopped');
    const [n1] = world.managed.nodes;
    await begunAndHeld(world);
    process.kill(server.pid, 'SIGCONT');
    await world.managed.stop(n1, 'transfer', 'b-1', 0);
    expect(await transferOf(n1)).toBeUndefined();
    expect(await leftovers(n1)).toEqual([]);
    expect(await world.filesOf('locks')).toEqual([]);
    expect((await again(world)).error).toBeUndefined();
  });
});

describe('a backup target with truncated or foreign files', () => {
  it('returns errors that name the file, and works again when they are gone', { timeout: testMs }, async () => {
    const world = await started('foreign');
    const { managed, snapshot, backup, restore, link, filesOf } = world;
    const [n1] = managed.nodes;
    const source = await link((await managed.engine(1, { 'r-a': 0, 'r-b': 1 })).endpoint);
    await writeAt(source, 0, noise(6 * MiB, 4));
    await snapshot('s-1');
    const make = (name: string) => endOf(backup(n1, { backup: name, snapshot: 's-1', replica: 'r-a' }));
    expect((await make('b-1')).error).toBeUndefined();
    await managed.engine(1, { 'r-c': 0 }, {}, restored);
    let tries = 0;
    const bring = () => endOf(restore({ restore: `to-${++tries}`, backup: 'b-1', isNew: true }));
    const spoiled = async (path: string, bytes: Buffer | undefined, work: () => Promise<void>) => {
      const before = await readFile(path).catch(() => undefined);
      if (bytes === undefined) await truncate(path, 100);
      else await writeFile(path, bytes);
      await work();
      if (before === undefined) await rm(path);
      else await writeFile(path, before);
    };
    const [block = ''] = await filesOf('blocks');
    const [config = ''] = await filesOf('backups');
    const volumeConfig = (await filesOf('')).find((path) => path.endsWith('volume.cfg')) ?? '';
    const fails = async (made: Promise<TransferProgress>, code: string, names: string) =>
      expect(await made).toMatchObject({ ended: true, error: { code, message: expect.stringContaining(names) } });
    await spoiled(block, undefined, () => fails(bring(), 'BLOCK_DAMAGED', basename(block)));
    await spoiled(block, noise(blockBytes, 9), () => fails(bring(), 'BLOCK_DAMAGED', basename(block)));
    await spoiled(config, undefined, () => fails(bring(), 'BLOCK_STORE_FILE', basename(config)));
    await spoiled(volumeConfig, undefined, () => fails(make('b-2'), 'BLOCK_STORE_FILE', 'volume.cfg'));
    // The lock of a deletion whose client has died, and a file that is no lock.
    const lock = join(dirname(volumeConfig), 'locks', 'lock-0123456789abcdef.lck');
    await mkdir(dirname(lock), { recursive: true });
    const dead = lockFileText({ name: 'lock-0123456789abcdef', type: lockTypes.deletion, acquired: true });
    for (const [n, text] of [dead, 'no lock'].entries())
      await spoiled(lock, Buffer.from(text), () => fails(make(`b-3${n}`), 'BLOCK_STORE_LOCKED', basename(lock)));
    await writeFile(lock, dead);
    const longAgo = new Date(clock.now() - 200_000);
    await utimes(lock, longAgo, longAgo);
    expect((await make('b-4')).error).toBeUndefined();
    expect((await bring()).error).toBeUndefined();
  });
});

describe('a backup target that is a directory', () => {
  it('stores backups and restores them, without a server', { timeout: testMs }, async () => {
    const { managed, backup, restore, link, snapshot } = await started('unused');
    const [n1] = managed.nodes;
    const directory = await mkdtemp(join(tmpdir(), 'lateen-target-'));
    const target = { url: `file://${directory}`, secret: {} };
    const written = noise(blockBytes, 5);
    await writeAt(await link((await managed.engine(1, { 'r-a': 0, 'r-b': 1 })).endpoint), 0, written);
    await snapshot('s-1');
    const done = await endOf(backup(n1, { backup: 'b-1', snapshot: 's-1', replica: 'r-a', target }));
    expect(done).toMatchObject({ ended: true, url: `${target.url}?backup=b-1&volume=${volume.name}` });
    const files = await readdir(directory, { recursive: true });
    expect(files.filter((path) => path.endsWith('.blk') || path.endsWith('.cfg'))).toHaveLength(3);
    const sink = await link((await managed.engine(1, { 'r-c': 0 }, {}, restored)).endpoint);
    expect((await endOf(restore({ restore: 'to-1', backup: 'b-1', isNew: true, target }))).error).toBeUndefined();
    expect((await readAll(sink, blockBytes)).equals(written)).toBe(true);
    await rm(directory, { recursive: true });
  });
});

describe('an impossible transfer', () => {
  it('is rejected immediately, or ends with what is missing, and leaves nothing running', {
    timeout: testMs,
  }, async () => {
    const { managed, backup, restore, snapshot } = await started('refused');
    const [n1, n2] = managed.nodes;
    await managed.engine(1, { 'r-a': 0, 'r-b': 1 });
    await snapshot('s-1');
    const of = { snapshot: 's-1', replica: 'r-a' };
    await expect(endOf(backup(n2, { backup: 'b-1', ...of }))).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    const nowhere = restore({ restore: 'to-1', backup: 'b-1' });
    await expect(endOf(nowhere)).rejects.toMatchObject({ code: 'INSTANCE_NOT_FOUND' });
    const old = restore({ restore: 'to-1', backup: 'b-1', engine: volume.engine, generation: 2 });
    await expect(endOf(old)).rejects.toMatchObject({ code: 'GENERATION_OVER' });
    for (const node of managed.nodes) expect(await leftovers(node)).toEqual([]);
    const gone = await endOf(backup(n1, { backup: 'b-2', snapshot: 's-9', replica: 'r-a' }));
    expect(gone).toMatchObject({ ended: true, error: { code: 'SNAPSHOT_NOT_FOUND' } });
    const mute = await endOf(backup(n1, { backup: 'b-3', ...of, target: { url: 's3://x@y/', secret: {} } }));
    expect(mute).toMatchObject({ error: { code: 'BACKUP_TARGET_SECRET' } });
    const cifs = await endOf(backup(n1, { backup: 'b-4', ...of, target: { url: 'cifs://x/y', secret: {} } }));
    expect(cifs).toMatchObject({ error: { code: 'BACKUP_TARGET_UNSUPPORTED' } });
    const nfs = await endOf(backup(n1, { backup: 'b-5', ...of, target: { url: 'nfs://127.0.0.1:/y', secret: {} } }));
    expect(nfs).toMatchObject({
      error: { code: 'BACKUP_TARGET_UNAVAILABLE', message: expect.stringContaining('127.0.0.1:/y cannot be mounted') },
    });
    for (const name of ['b-2', 'b-3', 'b-4', 'b-5']) await managed.stop(n1, 'transfer', name, 0);
    expect(await leftovers(n1)).toEqual([]);
  });
});
