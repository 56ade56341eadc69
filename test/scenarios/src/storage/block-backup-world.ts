import type { Secret } from '@lateen/api-types';
import { hostError, type InstanceHost, type StartBackup } from '@lateen/block-engine';
import { blockBackupStore, blockCatalog } from '@lateen/block-store';
import { nativeCodec } from '@lateen/block-store/native-codec';
import { type TransferPorts, transferHost } from '@lateen/block-transfer';
import { AppError } from '@lateen/errors';
import type { ObjectStore } from '@lateen/object-store';
import {
  type Backup,
  type BackupTarget,
  backupType,
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
import { onTestFinished } from 'vitest';
import { aKubernetesNode, anInstanceManager, aStorageNode, aVolume, namespace } from './storage-objects.ts';

const apiVersion = `${longhornGroup}/${longhornVersion}`;
export const key = (name: string) => ({ namespace, name });
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

/** One manager, one host that moves data, one bucket. Of so many transfers, the first ones, the replica is lost. */
export function backupWorld(change: Partial<InstanceHost> = {}, { lost = 0 }: { lost?: number } = {}) {
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
  let toLose = lost;
  const ports: TransferPorts = {
    openTarget: async () => ({
      store: blockBackupStore({ store, path: 'path', clock, random, log, codec: nativeCodec }),
      [Symbol.asyncDispose]: async () => {},
    }),
    openSnapshot: async () => {
      if (toLose-- > 0) throw hostError('HOST_UNREACHABLE', 'the daemon of the replica has ended');
      return aChain();
    },
    openSink: () => Promise.reject(new Error('nothing is restored here')),
    openSource: () => Promise.reject(new Error('nothing is cloned here')),
    uuid: 'run',
    clock,
    log,
  };
  /** A process for each transfer, as a host has them; its watch ends with it, and is asked for again. */
  const started = () => {
    const ends = new AbortController();
    const signal = AbortSignal.any([stopping.signal, ends.signal]);
    return { ends, of: transferHost(ports, signal) };
  };
  let transfers = started();
  const host = {
    watch: async function* (o) {
      yield { type: 'synced' } as const;
      const { of, ends } = transfers;
      yield* of.watch({ signal: AbortSignal.any([o.signal, ends.signal]) });
    },
    startBackup: (request, o) => {
      asked.push(request);
      return transfers.of.startBackup(request, o);
    },
    stop: async (request, o) => {
      const { of, ends } = transfers;
      const stopped = await of.stop(request, o);
      transfers = started();
      ends.abort(new Error('the process of the transfer has ended'));
      return stopped;
    },
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
