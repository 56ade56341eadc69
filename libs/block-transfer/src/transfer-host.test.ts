import type { StartBackup, StartClone, StartRestore, TransferProgress } from '@lateen/block-engine';
import { blockBackupStore } from '@lateen/block-store';
import { nativeCodec } from '@lateen/block-store/native-codec';
import { orAborted } from '@lateen/kernel';
import { FakeClock, letTimePass, memoryObjectStore, recordingLog, seededRandom } from '@lateen/testing';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LayeredVolume } from './layered-volume.ts';
import { type TransferPorts, transferHost } from './transfer-host.ts';

const blockBytes = 64;
const sectorBytes = 16;
const { signal } = new AbortController();
const target = { url: 's3://bucket@here/path', secret: { key: 'hidden-word' } };

class World {
  readonly clock = new FakeClock();
  readonly random = seededRandom(1);
  readonly log = recordingLog();
  readonly store = memoryObjectStore({ clock: this.clock });
  readonly volume: LayeredVolume;
  disk: Uint8Array;
  opened = 0;
  closed = 0;

  constructor(sectors = 40) {
    this.volume = new LayeredVolume(sectors, sectorBytes);
    this.disk = new Uint8Array(this.volume.sizeBytes);
  }

  host(change: Partial<TransferPorts> = {}, stopping: AbortSignal = signal) {
    const { clock, random, log, store } = this;
    const held = <Port>(port: Port) => {
      this.opened++;
      return { ...port, [Symbol.asyncDispose]: async () => void this.closed++ };
    };
    const backups = blockBackupStore({
      store,
      path: 'path',
      clock,
      random,
      log,
      codec: nativeCodec,
      blockSizes: [blockBytes],
    });
    const ports: TransferPorts = {
      openTarget: async () => held({ store: backups }),
      openSnapshot: async ({ snapshot }) => held(this.volume.open(snapshot)),
      openSink: async () => held(sinkOf(this.disk)),
      openSource: async ({ snapshot }) => held(this.volume.open(snapshot)),
      uuid: 'run-1',
      clock,
      log,
      ...change,
    };
    return transferHost(ports, stopping);
  }

  async end(progress: AsyncIterable<TransferProgress>): Promise<TransferProgress> {
    let last: TransferProgress | undefined;
    const reading = async () => {
      for await (const each of progress) last = each;
    };
    await letTimePass(reading(), this.clock);
    if (last === undefined) throw new Error('it told nothing');
    return last;
  }

  backUp(snapshot: string, change: Partial<StartBackup> = {}): Promise<TransferProgress> {
    return this.end(this.host().startBackup(backupOf(snapshot, change), { signal }));
  }

  restore(backup: string, change: Partial<StartRestore> = {}): Promise<TransferProgress> {
    return this.end(this.host().startRestore(restoreOf(backup, change), { signal }));
  }

  clone(snapshot: string, change: Partial<StartClone> = {}): Promise<TransferProgress> {
    return this.end(this.host().startClone(cloneOf(snapshot, change), { signal }));
  }
}

const backupOf = (snapshot: string, change: Partial<StartBackup> = {}): StartBackup => ({
  backup: `backup-${snapshot}`,
  volume: 'vol',
  replica: 'vol-r-1',
  snapshot,
  mode: 'incremental',
  target,
  blockBytes: BigInt(blockBytes),
  compression: 'lz4',
  labels: { made: 'by test' },
  volumeFacts: { storageClassName: 'longhorn' },
  workers: 2,
  detached: false,
  ...change,
});

const restoreOf = (backup: string, change: Partial<StartRestore> = {}): StartRestore => ({
  restore: `restore-${backup}`,
  engine: 'vol-e-0',
  generation: 1,
  volume: 'vol-2',
  backup,
  backupVolume: 'vol',
  isNew: true,
  target,
  workers: 2,
  detached: false,
  ...change,
});

const cloneOf = (snapshot: string, change: Partial<StartClone> = {}): StartClone => ({
  clone: `clone-${snapshot}`,
  engine: 'vol-2-e-0',
  generation: 1,
  volume: 'vol-2',
  sourceVolume: 'vol',
  sourceReplica: 'vol-r-1',
  sourceManager: '10.0.0.1:8500',
  snapshot,
  isNew: true,
  detached: false,
  ...change,
});

const sinkOf = (disk: Uint8Array) => ({
  sizeBytes: BigInt(disk.length),
  write: async (at: bigint, pieces: readonly Uint8Array[]) => disk.set(Buffer.concat(pieces), Number(at)),
  zero: async (at: bigint, lengthBytes: number) => void disk.fill(0, Number(at), Number(at) + lengthBytes),
  flush: async () => {},
});

it('restores what was backed up, for any writes and zeros between snapshots, and reads only changes', async () => {
  const writes = fc.array(fc.tuple(fc.nat(39), fc.nat(3)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(writes, { minLength: 1, maxLength: 5 }), async (rounds) => {
      const world = new World();
      for (const [round, written] of rounds.entries()) {
        for (const [sector, value] of written) world.volume.write(sector, value);
        world.volume.snapshot(`s${round}`);
        const before = world.volume.readBytes;
        const last = await world.backUp(`s${round}`);
        expect(last).toMatchObject({ ended: true, url: `s3://bucket@here/path?backup=backup-s${round}&volume=vol` });
        expect(last.error).toBeUndefined();
        const touched = new Set(written.map(([sector]) => Math.floor((sector * sectorBytes) / blockBytes)));
        if (round > 0) expect(world.volume.readBytes - before).toBeLessThanOrEqual(touched.size * blockBytes);
      }
      for (const round of rounds.keys()) {
        world.disk = new Uint8Array(world.volume.sizeBytes);
        expect((await world.restore(`backup-s${round}`)).error).toBeUndefined();
        expect(Buffer.from(world.disk)).toEqual(Buffer.from(world.volume.bytesOf(`s${round}`)));
      }
      expect(world.closed).toBe(world.opened);
    }),
    { numRuns: 60 },
  );
});

it('writes only the differences in a second restore into the same volume', async () => {
  const world = new World();
  world.volume.write(1, 5);
  world.volume.snapshot('s0');
  await world.backUp('s0');
  world.volume.write(1, 0);
  world.volume.write(30, 7);
  world.volume.snapshot('s1');
  await world.backUp('s1');
  await world.restore('backup-s0');
  const last = await world.restore('backup-s1', { isNew: false, since: 'backup-s0' });
  expect(last).toMatchObject({ ended: true, totalBytes: 2n * BigInt(blockBytes) });
  expect(Buffer.from(world.disk)).toEqual(Buffer.from(world.volume.bytesOf('s1')));
});

it('reads everything for a full backup', async () => {
  const world = new World();
  world.volume.write(1, 5);
  world.volume.snapshot('s0');
  await world.backUp('s0');
  world.volume.snapshot('s1');
  const before = world.volume.readBytes;
  await world.backUp('s1', { mode: 'full' });
  expect(world.volume.readBytes - before).toBe(blockBytes);
});

it('runs a transfer once: a repeated request follows it, or gets its result', async () => {
  const world = new World();
  world.volume.write(1, 5);
  world.volume.snapshot('s0');
  const host = world.host();
  const both = [0, 1].map(() => world.end(host.startBackup(backupOf('s0', { detached: true }), { signal })));
  const [first, second] = await Promise.all(both);
  expect(second).toEqual(first);
  expect(await world.end(host.startBackup(backupOf('s0'), { signal }))).toEqual(first);
  expect(world.opened).toBe(2);
});

it('rejects another transfer in its process', async () => {
  const world = new World();
  world.volume.snapshot('s0');
  const host = world.host();
  await world.end(host.startBackup(backupOf('s0'), { signal }));
  const other = () => host.startBackup(backupOf('s0', { backup: 'other' }), { signal });
  expect(other).toThrow(expect.objectContaining({ code: 'INSTANCE_RUNNING' }));
});

it.each([
  { what: 'a snapshot that is not there', change: { snapshot: 'gone' }, message: 'no snapshot gone' },
  { what: 'an unknown compression', change: { compression: 'zip' }, message: 'backups are not compressed with "zip"' },
  { what: 'an unknown mode', change: { mode: 'half' }, message: 'a backup has no mode "half"' },
  { what: 'blocks of a size that no backup has', change: { blockBytes: 65n }, message: 'no blocks of 65 bytes' },
])('ends with the cause for $what, closes everything, and reports no secret', async ({ change, message }) => {
  const world = new World();
  world.volume.snapshot('s0');
  const last = await world.backUp('s0', change);
  expect(last).toMatchObject({ ended: true, error: { message: expect.stringContaining(message) } });
  expect(world.closed).toBe(world.opened);
  expect(JSON.stringify(world.log.lines)).not.toContain('hidden-word');
});

it('ends when it is stopped, reports that, and can be run again by another process', async () => {
  const world = new World();
  world.volume.write(1, 5);
  world.volume.snapshot('s0');
  const hanging = Promise.withResolvers<never>();
  const host = world.host({ openSnapshot: (_, o) => orAborted(hanging.promise, o.signal) });
  const ended = world.end(host.startBackup(backupOf('s0', { detached: true }), { signal }));
  await host.stop({ kind: 'transfer', name: 'backup-s0', generation: 0 }, { signal });
  expect(await ended).toMatchObject({ ended: true, error: { code: 'ABORTED' } });
  expect((await world.backUp('s0')).error).toBeUndefined();
});

it('ends when its last reader leaves, unless it is detached', async () => {
  for (const detached of [false, true]) {
    const world = new World();
    world.volume.write(1, 5);
    world.volume.snapshot('s0');
    const go = Promise.withResolvers<void>();
    const host = world.host({
      openSnapshot: async ({ snapshot }, o) => {
        await orAborted(go.promise, o.signal);
        return world.volume.open(snapshot);
      },
    });
    const reader = new AbortController();
    const reading = world.end(host.startBackup(backupOf('s0', { detached }), { signal: reader.signal }));
    reader.abort(new Error('gone away'));
    await expect(reading).rejects.toThrow('gone away');
    go.resolve();
    const last = await world.end(host.startBackup(backupOf('s0'), { signal }));
    expect(last.error?.code).toBe(detached ? undefined : 'ABORTED');
  }
});

it('clones each snapshot into a new volume, a larger one and one with other data, and reads only data', async () => {
  const writes = fc.array(fc.tuple(fc.nat(39), fc.nat(3)), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(writes, { minLength: 1, maxLength: 4 }),
      fc.nat(3),
      fc.boolean(),
      async (rounds, more, isNew) => {
        const world = new World();
        for (const [round, written] of rounds.entries()) {
          for (const [sector, value] of written) world.volume.write(sector, value);
          world.volume.snapshot(`s${round}`);
        }
        // Data that must not appear in the clones: written after the last snapshot.
        world.volume.write(7, 99);
        for (const round of rounds.keys()) {
          const wanted = world.volume.bytesOf(`s${round}`);
          world.disk = new Uint8Array(world.volume.sizeBytes + more * sectorBytes).fill(isNew ? 0 : 5);
          const before = world.volume.readBytes;
          const last = await world.clone(`s${round}`, { isNew });
          expect(last).toMatchObject({ ended: true, doneBytes: last.totalBytes });
          expect(last.error).toBeUndefined();
          expect(Buffer.from(world.disk)).toEqual(Buffer.concat([wanted, Buffer.alloc(more * sectorBytes)]));
          const dataBytes = wanted.filter((byte) => byte !== 0).length;
          expect(world.volume.readBytes - before).toBe(dataBytes);
          if (isNew) expect(last.totalBytes).toBe(BigInt(dataBytes));
        }
        expect(world.closed).toBe(world.opened);
      },
    ),
    { numRuns: 100 },
  );
});

it('continues an interrupted clone with the same snapshot, by writing its data again', async () => {
  const world = new World();
  for (let sector = 0; sector < 40; sector += 2) world.volume.write(sector, sector + 1);
  world.volume.snapshot('s0');
  const broken = await world.end(
    world
      .host({
        openSink: async () => {
          let writes = 0;
          const sink = sinkOf(world.disk);
          const write: typeof sink.write = async (at, pieces) => {
            if (++writes === 3) throw new Error('the engine has ended');
            await sink.write(at, pieces);
          };
          return { ...sink, write, [Symbol.asyncDispose]: async () => {} };
        },
      })
      .startClone(cloneOf('s0'), { signal }),
  );
  expect(broken.error?.message).toContain('the engine has ended');
  expect((await world.clone('s0')).error).toBeUndefined();
  expect(Buffer.from(world.disk)).toEqual(Buffer.from(world.volume.bytesOf('s0')));
});

it('rejects a clone into a smaller volume before it writes anything', async () => {
  const world = new World();
  world.volume.write(0, 3);
  world.volume.snapshot('s0');
  world.disk = new Uint8Array(world.volume.sizeBytes - sectorBytes);
  expect((await world.clone('s0')).error).toMatchObject({ code: 'BLOCK_SINK_SMALL' });
  expect(world.disk.every((byte) => byte === 0)).toBe(true);
});
