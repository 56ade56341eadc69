import { AppError } from '@lateen/errors';
import {
  FakeClock,
  type FaultyObjectStore,
  faultyObjectStore,
  letTimePass,
  memoryObjectStore,
  seededRandom,
} from '@lateen/testing';
import { describe, expect, it } from 'vitest';
import { compressionMethods } from './format/compression-method.ts';
import { ModelVolume, modelSink } from './model-volume.ts';
import { blockHash } from './names/block-hash.ts';
import { blockBytes, paths, planOf, storeUnderTest, volumeName } from './store-under-test.ts';

function under() {
  const clock = new FakeClock();
  return storeUnderTest({
    clock,
    memory: memoryObjectStore({ clock }),
    random: seededRandom(),
    pass: (work) => letTimePass(work, clock),
  });
}

/** Eight blocks of four sectors; the first and the fifth have data. */
function volumeWithData(): ModelVolume {
  const volume = new ModelVolume(8 * blockBytes, blockBytes / 4);
  volume.write(3, Buffer.from('one'));
  volume.write(4 * blockBytes, Buffer.alloc(blockBytes, 'two'));
  volume.snapshot('snap-1');
  return volume;
}

const rubbish = () => modelSink(new Uint8Array(8 * blockBytes).fill(0xee));
const fresh = () => modelSink(new Uint8Array(8 * blockBytes));
const blockKeys = (keys: Iterable<string>) => [...keys].filter((key) => key.startsWith(paths.blocks));

describe('backup', () => {
  it('stores blocks with data, lists every block, and becomes the last backup of its volume', async () => {
    const { backup, memory, client, signal } = under();
    const volume = volumeWithData();
    const result = await backup(volume, 'snap-1');
    expect(result).toMatchObject({ full: 'no backup before', newBlocks: 2, readBytes: 128n });
    const stored = await client().readBackup(volumeName, 'backup-snap-1', { signal });
    expect(stored).toMatchObject({
      snapshotName: 'snap-1',
      snapshotCreatedAt: '2030-01-01T00:00:00Z',
      createdTime: '2030-01-01T00:00:02Z',
      sizeBytes: 128n,
      isIncremental: false,
      parameters: { 'backup-block-size': '64', 'backup-mode': 'incremental' },
      newlyUploadedBytes: 128n,
    });
    expect([...stored.blocks].map(({ offset }) => offset)).toEqual([0, 4 * blockBytes]);
    expect(await client().readVolume(volumeName, { signal })).toMatchObject({
      sizeBytes: 512n,
      labels: { a: '1', b: '2' },
      lastBackupName: 'backup-snap-1',
      lastBackupAt: '2030-01-01T00:00:00Z',
      blockCount: 2n,
      compressionMethod: 'none',
    });
    expect([...memory.objects.keys()].some((key) => key.startsWith(paths.locks))).toBe(false);
  });

  it('reads and stores what has changed since the last backup, and lists all blocks', async () => {
    const { backup, pass, client, signal } = under();
    const volume = volumeWithData();
    await backup(volume, 'snap-1');
    volume.readBytes = 0;
    volume.write(5 * blockBytes - 1, Buffer.from('ab'));
    volume.snapshot('snap-2');
    const result = await backup(volume, 'snap-2');
    expect(result).toMatchObject({ full: undefined, newBlocks: 2, backup: { isIncremental: true, sizeBytes: 192n } });
    expect(volume.readBytes).toBe(2 * blockBytes);
    const sink = rubbish();
    await pass(client().restore(volumeName, 'backup-snap-2', sink, { signal }));
    expect(sink.bytes).toEqual(volume.bytesOf('snap-2'));
  });

  it('stores equal blocks once; in full mode stores existing blocks again, once each', async () => {
    const { backup, memory } = under();
    const volume = volumeWithData();
    volume.write(blockBytes, Buffer.alloc(blockBytes, 'x'));
    volume.write(6 * blockBytes, Buffer.alloc(2 * blockBytes, 'x'));
    volume.snapshot('snap-2');
    expect(await backup(volume, 'snap-2')).toMatchObject({ newBlocks: 3, backup: { newlyUploadedBytes: 192n } });
    const again = await backup(volume, 'snap-2', { mode: 'full', backup: 'backup-again' });
    expect(again.backup).toMatchObject({ newlyUploadedBytes: 0n, reUploadedBytes: 192n });
    expect(blockKeys(memory.objects.keys())).toHaveLength(3);
    expect(again.full).toBe('asked for');
  });

  it.each(compressionMethods)(
    'compresses all backups of a volume with the method of its first one: %s',
    async (method) => {
      const { backup, pass, client, signal } = under();
      const volume = volumeWithData();
      await backup(volume, 'snap-1', { compressionMethod: method });
      volume.snapshot('snap-2');
      const { backup: second } = await backup(volume, 'snap-2', { compressionMethod: 'none' });
      expect(second.compressionMethod).toBe(method);
      const sink = fresh();
      await pass(client().restore(volumeName, 'backup-snap-2', sink, { signal, isNew: true }));
      expect(sink.bytes).toEqual(volume.bytesOf('snap-2'));
    },
  );

  it('reports growing progress, and 100 at the end', async () => {
    const { pass, client, signal } = under();
    const volume = volumeWithData();
    volume.write(0, Buffer.alloc(8 * blockBytes, 'abc'));
    volume.snapshot('snap-2');
    const seen: number[] = [];
    const plan = { snapshot: 'snap-2', snapshots: volume.before('snap-2'), backup: 'backup-1', volume: volumeName };
    const rest = { mode: 'full', blockBytes, compressionMethod: 'none', labels: {}, storageClassName: '' } as const;
    const onProgress = ({ percent }: { percent: number }) => void seen.push(percent);
    await pass(client().backup(volume.source('snap-2'), { ...plan, ...rest }, { signal, onProgress }));
    expect(seen).toEqual([11, 23, 35, 47, 59, 71, 83, 95, 100]);
  });

  it('processes no more blocks at once than it has workers', async () => {
    const { backup, pass, client, signal } = under();
    const volume = new ModelVolume(64 * blockBytes, blockBytes);
    for (let at = 0; at < 64; at++) volume.write(at * blockBytes, Buffer.alloc(blockBytes, at));
    volume.snapshot('snap-1');
    const source = volume.source('snap-1');
    let [now, most] = [0, 0];
    const buffers = new Set<ArrayBufferLike>();
    const read = async (at: bigint, into: Uint8Array) => {
      buffers.add(into.buffer);
      most = Math.max(most, ++now);
      await new Promise(setImmediate);
      await source.read(at, into);
      now--;
    };
    const plan = { ...(await import('./store-under-test.ts')).planOf('snap-1', new Set()), workers: 3 };
    await pass(client().backup({ ...source, read }, plan, { signal }));
    expect([most, buffers.size]).toEqual([3, 3]);
    await expect(backup(volume, 'snap-1', { workers: 0, backup: 'b2' })).rejects.toThrow(RangeError);
  });

  it('rejects the name of a complete backup, and starts again under the name of an unfinished one', async () => {
    const { backup, memory, clock, client, pass, signal } = under();
    const volume = volumeWithData();
    await expect(
      backup(
        volume,
        'snap-1',
        {},
        client(faultyObjectStore(memory, [{ on: 'put', about: '.blk', fault: { fail: new Error('gone') } }])),
      ),
    ).rejects.toThrow('gone');
    expect(JSON.parse(memory.text(paths.backup('backup-snap-1')))).toMatchObject({ CreatedTime: '', Size: '0' });
    await expect(pass(client().restore(volumeName, 'backup-snap-1', fresh(), { signal }))).rejects.toMatchObject({
      code: 'BLOCK_BACKUP_IN_PROGRESS',
    });
    await clock.advance(1_000);
    await backup(volume, 'snap-1');
    await expect(backup(volume, 'snap-1')).rejects.toMatchObject({ code: 'BLOCK_BACKUP_EXISTS' });
  });

  it.each([
    [{ blockBytes: 100 }, 'BLOCK_SIZE_UNFIT'],
    [{ volume: '../x' }, 'BLOCK_STORE_NAME'],
    [{ backup: 'a/b' }, 'BLOCK_STORE_NAME'],
    [{ snapshot: '' }, 'BLOCK_STORE_NAME'],
  ])('rejects %j before it changes anything: %s', async (change, code) => {
    const { backup, memory } = under();
    await expect(backup(volumeWithData(), 'snap-1', change)).rejects.toMatchObject({ code });
    expect(memory.objects.size).toBe(0);
  });

  describe('a backup by two processes, because the first one stopped answering', () => {
    /** The first process reads, and waits until the test releases it. */
    async function twoProcesses() {
      const world = under();
      const volume = volumeWithData();
      const plan = planOf('snap-1', volume.before('snap-1'));
      const source = volume.source('snap-1');
      const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const silent = {
        ...source,
        read: async (...of: Parameters<typeof source.read>) => {
          reached.resolve();
          await goOn.promise;
          return await source.read(...of);
        },
      };
      const first = world.client().backup(silent, plan, { signal: world.signal });
      first.catch(() => {});
      await world.pass(reached.promise);
      const stored = () => world.client().readBackup(volumeName, 'backup-snap-1', { signal: world.signal });
      return { ...world, volume, first, goOn: goOn.resolve, stored };
    }

    it('is completed by the second one, and the first one writes nothing more', async () => {
      const world = await twoProcesses();
      await world.backup(world.volume, 'snap-1');
      const finished = await world.stored();
      world.volume.write(7, Buffer.from('later'));
      world.volume.snapshot('snap-2');
      await world.backup(world.volume, 'snap-2');
      world.goOn();
      await expect(world.pass(world.first)).rejects.toMatchObject({ code: 'BLOCK_BACKUP_EXISTS' });
      expect(await world.stored()).toEqual(finished);
      const { lastBackupName } = await world.client().readVolume(volumeName, { signal: world.signal });
      expect(lastBackupName).toBe('backup-snap-2');
      expect([...world.memory.objects.keys()].filter((key) => key.startsWith(paths.locks))).toEqual([]);
    });

    it('is given up by the first one while the second one writes it, and does not reappear after its deletion', async () => {
      const world = await twoProcesses();
      const other = await twoProcesses();
      const key = paths.backup('backup-snap-1');
      const begun = JSON.parse(Buffer.from(world.memory.objects.get(key) ?? []).toString('utf8'));
      await world.memory.put(key, Buffer.from(JSON.stringify({ ...begun, LateenRun: 'another' })), world);
      await other.memory.delete(key, other);
      for (const { goOn, pass, first } of [world, other]) {
        goOn();
        await expect(pass(first)).rejects.toMatchObject({ code: 'BLOCK_BACKUP_SUPERSEDED' });
      }
      expect((await world.stored()).createdTime).toBe('');
      expect(other.memory.objects.has(key)).toBe(false);
    });
  });

  it('rejects a volume that is not a multiple of the block size', async () => {
    const { backup } = under();
    const volume = new ModelVolume(3 * blockBytes, 16);
    volume.snapshot('snap-1');
    await expect(backup(volume, 'snap-1', { blockBytes: 2 * blockBytes })).rejects.toMatchObject({
      code: 'BLOCK_SIZE_UNFIT',
    });
  });

  it('ends with the reason of an abort, and removes its lock', async () => {
    const { client, memory, pass } = under();
    const volume = volumeWithData();
    const stop = new AbortController();
    const store = faultyObjectStore(memory, [{ on: 'put', about: '.blk', fault: { hang: true } }]);
    const { planOf } = await import('./store-under-test.ts');
    const work = client(store).backup(volume.source('snap-1'), planOf('snap-1', new Set()), { signal: stop.signal });
    const reason = new AppError('STOPPED', 'enough');
    const ended = pass(work).catch((error: unknown) => error);
    await untilCalled(store, '.blk');
    stop.abort(reason);
    expect(await ended).toBe(reason);
    expect([...memory.objects.keys()].some((key) => key.startsWith(paths.locks))).toBe(false);
  });
});

async function untilCalled(store: FaultyObjectStore, about: string): Promise<void> {
  while (!store.calls.some(({ operation, key }) => operation === 'put' && key.includes(about))) {
    await new Promise(setImmediate);
  }
}

describe('restore', () => {
  async function twoBackups() {
    const all = under();
    const volume = volumeWithData();
    await all.backup(volume, 'snap-1');
    volume.write(4 * blockBytes, Buffer.alloc(blockBytes));
    volume.write(2 * blockBytes, Buffer.from('new'));
    volume.snapshot('snap-2');
    await all.backup(volume, 'snap-2');
    return { ...all, volume };
  }

  it('writes only listed blocks to a new volume, and every byte to any other', async () => {
    const { client, pass, signal, volume } = await twoBackups();
    for (const [sink, isNew] of [
      [fresh(), true],
      [rubbish(), false],
    ] as const) {
      const result = await pass(client().restore(volumeName, 'backup-snap-1', sink, { signal, isNew }));
      expect(sink.bytes).toEqual(volume.bytesOf('snap-1'));
      expect(Number(result.writtenBytes + result.zeroedBytes)).toBe(sink.writtenBytes);
      expect(sink.writtenBytes).toBe(isNew ? 2 * blockBytes : 8 * blockBytes);
    }
  });

  it('writes the differences to the backup in the volume, and zeros where only that backup had data', async () => {
    const { client, pass, signal, volume } = await twoBackups();
    for (const [from, to] of [
      ['snap-1', 'snap-2'],
      ['snap-2', 'snap-1'],
    ] as const) {
      const sink = modelSink(volume.bytesOf(from));
      const call = { signal, since: `backup-${from}` };
      expect(await pass(client().restore(volumeName, `backup-${to}`, sink, call))).toMatchObject({ full: undefined });
      expect(sink.bytes).toEqual(volume.bytesOf(to));
      expect(sink.writtenBytes).toBe(2 * blockBytes);
    }
  });

  it('continues after an interrupted restore of another backup', async () => {
    const { client, pass, signal, volume, memory, backup } = await twoBackups();
    volume.write(2 * blockBytes, Buffer.alloc(3));
    volume.snapshot('snap-3');
    await backup(volume, 'snap-3');
    const sink = modelSink(volume.bytesOf('snap-1'));
    const hash = blockHash(volume.bytesOf('snap-2').subarray(2 * blockBytes, 3 * blockBytes));
    const write = async (at: bigint, pieces: readonly Uint8Array[]) => {
      await sink.write(at, pieces);
      throw new Error('power');
    };
    expect(memory.objects.has(paths.block(hash))).toBe(true);
    const first = client().restore(volumeName, 'backup-snap-2', { ...sink, write }, { signal, since: 'backup-snap-1' });
    await expect(pass(first)).rejects.toThrow('power');
    const call = { signal, since: 'backup-snap-1', begun: 'backup-snap-2' };
    await pass(client().restore(volumeName, 'backup-snap-3', sink, call));
    expect(sink.bytes).toEqual(volume.bytesOf('snap-3'));
  });

  it.each([
    ['backup-gone', 'that backup cannot be used'],
    ['backup-wide', 'that backup has blocks of another size'],
  ])('writes every byte when the recorded content of the volume cannot be used: %s', async (since, full) => {
    const { client, pass, signal, volume, backup } = await twoBackups();
    await backup(volume, 'snap-2', { backup: 'backup-wide', blockBytes: 2 * blockBytes, mode: 'full' });
    const sink = rubbish();
    expect(await pass(client().restore(volumeName, 'backup-snap-1', sink, { signal, since }))).toMatchObject({ full });
    expect(sink.bytes).toEqual(volume.bytesOf('snap-1'));
  });

  it('retries for minutes when a block cannot be read, but not when it is corrupt', async () => {
    const { client, pass, signal, memory, clock, volume } = await twoBackups();
    const away = new AppError('OBJECT_STORE_UNAVAILABLE', 'away', { retry: 'soon' });
    const store = faultyObjectStore(memory, [{ on: 'read', about: '.blk', times: 6, fault: { fail: away } }]);
    const sink = fresh();
    const began = clock.now();
    await pass(client(store).restore(volumeName, 'backup-snap-2', sink, { signal, isNew: true, workers: 1 }));
    expect(sink.bytes).toEqual(volume.bytesOf('snap-2'));
    expect(clock.now() - began).toBe(2_000 + (1 + 5 + 30 + 60 + 120 + 300) * 1_000);
    store.add({ on: 'read', about: '.blk', times: 7, fault: { fail: away } });
    await expect(
      pass(client(store).restore(volumeName, 'backup-snap-2', fresh(), { signal, workers: 1 })),
    ).rejects.toBe(away);
  });

  it('names a missing or damaged block, and the next step', async () => {
    const { client, pass, signal, memory } = await twoBackups();
    const stored = await client().readBackup(volumeName, 'backup-snap-1', { signal });
    const key = paths.block(stored.blocks.checksumAt(0));
    const good = memory.objects.get(key) ?? Buffer.alloc(0);
    const restored = () => pass(client().restore(volumeName, 'backup-snap-1', fresh(), { signal }));
    const nextStep = expect.stringContaining('full backup');
    for (const [bytes, why] of [
      [Buffer.alloc(blockBytes, 'z'), 'its bytes are not those of its name'],
      [good.subarray(0, 5), 'it is neither gzip nor lz4, nor a whole block'],
      [Buffer.alloc(100_000), 'it is larger than a block can be'],
    ] as const) {
      memory.objects.set(key, bytes);
      const message = `the backup cannot be restored: ${key} in the backup store is damaged: ${why}`;
      await expect(restored()).rejects.toMatchObject({ code: 'BLOCK_DAMAGED', message, nextStep });
    }
    memory.objects.delete(key);
    await expect(restored()).rejects.toMatchObject({
      code: 'BLOCK_MISSING',
      message: expect.stringContaining(key),
      nextStep,
    });
  });

  it('rejects a volume that is too small, and a missing backup', async () => {
    const { client, pass, signal } = await twoBackups();
    const small = modelSink(new Uint8Array(4 * blockBytes));
    await expect(pass(client().restore(volumeName, 'backup-snap-1', small, { signal }))).rejects.toMatchObject({
      code: 'BLOCK_SINK_SMALL',
    });
    await expect(pass(client().restore(volumeName, 'backup-x', fresh(), { signal }))).rejects.toMatchObject({
      code: 'BLOCK_BACKUP_NOT_FOUND',
      message: `cannot find ${paths.backup('backup-x')} in backupstore`,
    });
  });
});

describe('listing', () => {
  it('finds volumes and backups, and reports folders that are neither', async () => {
    const { backup, client, signal, memory } = under();
    const volume = volumeWithData();
    await backup(volume, 'snap-1');
    await backup(volume, 'snap-1', { backup: 'backup-2' });
    memory.objects.set('backupstore/volumes/47/e3/vol2/volume.cfg', Buffer.from('{}'));
    memory.objects.set('backupstore/volumes/aa/bb/BACKINGIMAGE/locks/lock-1.lck', Buffer.from('{}'));
    memory.objects.set(`${paths.backups}notes.txt`, Buffer.from('mine'));
    const problem = expect.stringMatching(/^cannot find backupstore\/volumes\/.*\/vol2\/volume.cfg in backupstore$/);
    expect(await Array.fromAsync(client().listVolumes({ signal }))).toEqual([
      { name: 'vol' },
      { name: 'vol2', problem },
    ]);
    expect(await Array.fromAsync(client().listBackups(volumeName, { signal }))).toEqual(['backup-2', 'backup-snap-1']);
    expect(await Array.fromAsync(client().listBackups('other', { signal }))).toEqual([]);
  });
});
