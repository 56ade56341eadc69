import type { Secret } from '@lateen/api-types';
import type { InstanceHost, StartBackup } from '@lateen/block-engine';
import { blockBackupStore, blockCatalog } from '@lateen/block-store';
import { nativeCodec } from '@lateen/block-store/native-codec';
import { transferHost } from '@lateen/block-transfer';
import { AppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import {
  type Backup,
  type BackupTarget,
  type BackupVolume,
  backupTargetType,
  backupType,
  backupVolumeType,
  type Engine,
  longhornGroup,
  longhornVersion,
  type Replica,
  type Snapshot,
  type Volume,
} from '@lateen/storage-types';
import { FakeClock, fakeCluster, memoryObjectStore, recordingLog, seededRandom } from '@lateen/testing';
import { type BackupTargets, backupRooms, runVolumeControllers } from '@lateen/volume-controllers';
import { newBackup } from '@lateen/volume-decisions';
import { describe, expect, it, onTestFinished } from 'vitest';
import { aKubernetesNode, anInstanceManager, aStorageNode, aVolume, namespace } from './storage-objects.ts';

const apiVersion = `${longhornGroup}/${longhornVersion}`;
const key = (name: string) => ({ namespace, name });
const bytes = 4 * 1024 * 1024;

const aTarget = (): BackupTarget => ({
  apiVersion,
  kind: 'BackupTarget',
  metadata: key('default'),
  spec: { backupTargetURL: 's3://bucket@here/path/', credentialSecret: 'keys', pollInterval: '5m0s' },
});
const theSecret: Secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: key('keys'),
  data: { AWS_ACCESS_KEY_ID: Buffer.from('hidden-word').toString('base64') },
};
const anEngine: Engine = {
  apiVersion,
  kind: 'Engine',
  metadata: key('vol-e-0'),
  spec: { volumeName: 'vol', nodeID: 'n1' },
  status: { currentState: 'running', replicaModeMap: { 'vol-r-1': 'RW' } },
};
const aReplica: Replica = {
  apiVersion,
  kind: 'Replica',
  metadata: key('vol-r-1'),
  spec: { volumeName: 'vol', nodeID: 'n1' },
  status: { currentState: 'running', storageIP: '10.0.0.1', port: 10_000 },
};
const aSnapshot = (name: string): Snapshot => ({
  apiVersion,
  kind: 'Snapshot',
  metadata: key(name),
  spec: { volume: 'vol' },
  status: { readyToUse: true },
});

/** One manager, one host that moves data, one bucket. */
function backupWorld(change: Partial<InstanceHost> = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const random = seededRandom(3);
  const log = recordingLog();
  const volume = aVolume('vol');
  const attached: Volume = { ...volume, status: { state: 'attached' } };
  const cluster = fakeCluster({
    clock,
    objects: [
      aKubernetesNode('n1'),
      aStorageNode('n1'),
      anInstanceManager('n1'),
      attached,
      ...[anEngine, aReplica, aSnapshot('s1'), aSnapshot('s2'), aTarget(), theSecret],
    ],
  });
  const memory = memoryObjectStore({ clock });
  let away = false;
  let hanging = false;
  const store: ObjectStore = {
    ...memory,
    listCommonPrefixes: async (...of) => {
      if (hanging)
        await new Promise((_, reject) => of[1]?.signal?.addEventListener('abort', () => reject(new Error('given up'))));
      if (away) throw new AppError('STORE_UNAVAILABLE', 'the store is away', { retry: 'soon' });
      return await memory.listCommonPrefixes(...of);
    },
  };
  const catalog = blockCatalog({ store, path: 'path', clock, random, log });
  const asked: StartBackup[] = [];
  const targets: BackupTargets = { open: async () => ({ ...catalog, [Symbol.asyncDispose]: async () => {} }) };
  const stopping = new AbortController();
  const transfers = transferHost(
    {
      openTarget: async () => ({
        store: blockBackupStore({ store, path: 'path', clock, random, log, codec: nativeCodec }),
        [Symbol.asyncDispose]: async () => {},
      }),
      openSnapshot: async () => aChain(),
      openSink: () => Promise.reject(new Error('nothing is restored here')),
      openSource: () => Promise.reject(new Error('nothing is cloned here')),
      uuid: 'run',
      clock,
      log,
    },
    stopping.signal,
  );
  const host = {
    watch: async function* (o) {
      yield { type: 'synced' } as const;
      yield* transfers.watch(o);
    },
    startBackup: (request, o) => {
      asked.push(request);
      return transfers.startBackup(request, o);
    },
    stop: (request, o) => transfers.stop(request, o),
    ...change,
  } satisfies Partial<InstanceHost>;
  const connect = () => ({ host: host as unknown as InstanceHost, close: () => {} });
  const options = { kube: cluster, namespace, node: 'n1', clock, random, log, connect, rooms: backupRooms(targets) };
  const done = runVolumeControllers(options, stopping.signal);
  onTestFinished(async () => {
    stopping.abort();
    await done;
  });
  const backup = (name: string) => cluster.find<Backup>(backupType, key(name));
  const ask = (name: string, snapshot: string) =>
    cluster.put(newBackup(volume, { name, snapshot, labels: { why: 'test' }, mode: 'incremental', target: 'default' }));
  return {
    clock,
    cluster,
    log,
    memory,
    asked,
    backup,
    ask,
    setAway: (is: boolean) => (away = is),
    setHanging: (is: boolean) => (hanging = is),
  };
}

/** A snapshot of which the first block has data. */
const aChain = () => ({
  chain: ['s1'],
  link: {
    sizeBytes: BigInt(bytes),
    oldestPendingMs: undefined,
    closed: new Promise<never>(() => {}),
    contexts: ['base:allocation', 'qemu:allocation-depth'] as const,
    read: async (_: bigint, length: number) => [new Uint8Array(length).fill(7)],
    status: async (context: string, at: bigint) => [
      {
        lengthBytes: bytes / 2,
        value: at > 0n ? (context === 'base:allocation' ? 3 : 0) : context === 'base:allocation' ? 0 : 1,
      },
    ],
    write: async () => {},
    zero: async () => {},
    trim: async () => {},
    flush: async () => {},
    [Symbol.asyncDispose]: async () => {},
  },
  [Symbol.asyncDispose]: async () => {},
});

describe('a backup of a replicated volume', () => {
  it('is made beside a replica, is told from what the target has, and is deleted with its blocks', async () => {
    const world = backupWorld();
    await world.clock.advanceUntil(
      () => world.cluster.find<BackupTarget>(backupTargetType, key('default'))?.status?.available === true,
    );
    world.ask('backup-1', 's1');
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
    expect(world.asked[0]).toMatchObject({ replica: 'vol-r-1', snapshot: 's1', mode: 'incremental', detached: true });
    expect(world.backup('backup-1')?.status).toMatchObject({
      ownerID: 'n1',
      progress: 100,
      volumeName: 'vol',
      snapshotName: 's1',
      labels: { why: 'test' },
      url: 's3://bucket@here/path/?backup=backup-1&volume=vol',
    });
    // The target is looked at again: the volume that has a backup now gets its object.
    await world.clock.advanceUntil(() => world.cluster.all<BackupVolume>(backupVolumeType).length === 1);
    await world.clock.advanceUntil(
      () => world.cluster.all<BackupVolume>(backupVolumeType)[0]?.status?.lastBackupName === 'backup-1',
    );
    await world.cluster.delete(backupType, key('backup-1'));
    await world.clock.advanceUntil(() => world.backup('backup-1') === undefined);
    expect([...world.memory.objects.keys()].filter((each) => each.endsWith('.blk'))).toEqual([]);
    expect(JSON.stringify([world.log.lines, world.cluster.all(backupType)])).not.toContain('hidden-word');
  });

  it('waits for a target that is away, which says why, and goes on when it is back', async () => {
    const world = backupWorld();
    world.setAway(true);
    const target = () => world.cluster.find<BackupTarget>(backupTargetType, key('default'));
    await world.clock.advanceUntil(() => target()?.status?.available === false);
    expect(target()?.status?.conditions?.[0]).toMatchObject({ type: 'Unavailable', status: 'True' });
    world.ask('backup-1', 's1');
    await world.clock.advance(60_000);
    expect(world.backup('backup-1')?.status?.state).toBe('Pending');
    world.setAway(false);
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
  });

  it('is told unavailable when the target hangs, and looked at again', async () => {
    const world = backupWorld();
    world.setHanging(true);
    const target = () => world.cluster.find<BackupTarget>(backupTargetType, key('default'));
    await world.clock.advanceUntil(() => target()?.status?.available === false);
    world.setHanging(false);
    await world.clock.advanceUntil(() => target()?.status?.available === true);
  });

  it('leaves what is on the target when the target goes', async () => {
    const world = backupWorld();
    world.ask('backup-1', 's1');
    await world.clock.advanceUntil(() => world.backup('backup-1')?.status?.state === 'Completed');
    await world.clock.advanceUntil(() => world.cluster.all<BackupVolume>(backupVolumeType).length === 1);
    await world.clock.advance(10_000);
    await world.cluster.delete(backupTargetType, key('default'));
    await world.clock.advanceUntil(() => world.cluster.find(backupTargetType, key('default')) === undefined);
    expect(world.cluster.all(backupVolumeType)).toEqual([]);
    expect([...world.memory.objects.keys()].some((each) => each.endsWith('.blk'))).toBe(true);
  });

  it.each([
    { code: 'NOT_SUPPORTED', retry: 'never', state: 'Error' },
    { code: 'HOST_UNREACHABLE', retry: 'soon', state: 'Pending' },
  ] as const)('whose host answers $code is $state', async ({ code, retry, state }) => {
    const world = backupWorld({
      startBackup: () => {
        throw new AppError(code, 'the host says no', { retry });
      },
    });
    world.ask('backup-1', 's1');
    await world.clock.advance(60_000);
    expect(world.backup('backup-1')?.status?.state).toBe(state);
    if (state === 'Error') expect(world.backup('backup-1')?.status?.error).toContain('the host says no');
  });
});
