import { gunzipSync, gzipSync } from 'node:zlib';
import type { Secret } from '@lateen/api-types';
import { hostError, type InstanceHost, type StartBackup } from '@lateen/block-engine';
import { type BlockCodec, blockBackupStore, blockCatalog } from '@lateen/block-store';
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

/** Worker threads would take real time while the clock of the test advances. */
const codecWithoutThreads: BlockCodec = {
  compress: async (method, bytes) => (method === 'none' ? bytes : gzipSync(bytes)),
  decompress: async (method, stored) => (method === 'none' ? stored : gunzipSync(stored)),
};

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
  spec: {
    volumeName: 'vol',
    nodeID: 'n1',
    replicaAddressMap: { 'vol-r-1': '10.0.0.1:10000', 'vol-r-2': '10.0.0.2:10000' },
  },
};
const aReplica = (number: number): Replica => ({
  apiVersion,
  kind: 'Replica',
  metadata: key(`vol-r-${number}`),
  spec: { volumeName: 'vol', nodeID: `n${number}` },
  status: { currentState: 'running', storageIP: `10.0.0.${number}`, port: 10_000 },
});
const aSnapshot = (name: string): Snapshot => ({
  apiVersion,
  kind: 'Snapshot',
  metadata: key(name),
  spec: { volume: 'vol' },
  status: { readyToUse: true },
});

/**
 * One manager, hosts that move data, one bucket. The replica of the first `lost` transfers is lost. With two replicas, on n1 and n2, reads
 * on n1 hang.
 */
export function backupWorld(
  change: Partial<InstanceHost> = {},
  { lost = 0, replicas = 1 }: { lost?: number; replicas?: 1 | 2 } = {},
) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const random = seededRandom(3);
  const log = recordingLog();
  const volume = aVolume('vol');
  const attached: Volume = { ...volume, status: { state: 'attached' } };
  const numbers = Array.from({ length: replicas }, (_, index) => index + 1);
  const modes = Object.fromEntries(numbers.map((number) => [`vol-r-${number}`, 'RW' as const]));
  const running: Engine = { ...anEngine, status: { currentState: 'running', replicaModeMap: modes } };
  const cluster = fakeCluster({
    clock,
    objects: [
      ...numbers
        .map((number) => `n${number}`)
        .flatMap((node) => [aKubernetesNode(node), aStorageNode(node), anInstanceManager(node)]),
      attached,
      ...numbers.map(aReplica),
      ...[running, aSnapshot('s1'), aSnapshot('s2'), aTarget(), theSecret],
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
  const portsOf = (node: string): TransferPorts => ({
    openTarget: async () => ({
      store: blockBackupStore({ store, path: 'path', clock, random, log, codec: codecWithoutThreads }),
      [Symbol.asyncDispose]: async () => {},
    }),
    openSnapshot: async () => {
      if (toLose-- > 0) throw hostError('HOST_UNREACHABLE', 'the daemon of the replica has ended');
      return aChain(replicas === 2 && node === 'n1');
    },
    openSink: () => Promise.reject(new Error('nothing is restored here')),
    openSource: () => Promise.reject(new Error('nothing is cloned here')),
    uuid: 'run',
    clock,
    log,
  });
  /** One process for each transfer, as on a host; its watch ends with it, and is started again. */
  const started = (node: string) => {
    const ends = new AbortController();
    const signal = AbortSignal.any([stopping.signal, ends.signal]);
    return { ends, of: transferHost(portsOf(node), signal) };
  };
  /** Hosts that cannot be reached; their processes keep running. */
  const cut = new Map<string, AbortController>();
  const hostOf = (node: string) => {
    let transfers = started(node);
    const reached = () => {
      const silent = cut.get(node)?.signal.aborted === true;
      if (silent) throw hostError('HOST_UNREACHABLE', `${node} does not answer`);
    };
    return {
      watch: async function* (o) {
        reached();
        yield { type: 'synced' } as const;
        const { of, ends } = transfers;
        const away = new AbortController();
        cut.set(node, away);
        yield* of.watch({ signal: AbortSignal.any([o.signal, ends.signal, away.signal]) });
      },
      startBackup: (request, o) => {
        reached();
        asked.push(request);
        return transfers.of.startBackup(request, o);
      },
      stop: async (request, o) => {
        reached();
        const { of, ends } = transfers;
        const stopped = await of.stop(request, o);
        transfers = started(node);
        ends.abort(new Error('the process of the transfer has ended'));
        return stopped;
      },
      ...change,
    } satisfies Partial<InstanceHost>;
  };
  const hosts = new Map(numbers.map((number) => [`n${number}`, hostOf(`n${number}`)]));
  const connect = ({ node }: { readonly node: string }) => ({
    host: hosts.get(node) as unknown as InstanceHost,
    close: () => {},
  });
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
    /** Makes the host unreachable, or reachable again. */
    setSilent: (node: string, is: boolean) =>
      is ? cut.get(node)?.abort(new Error(`${node} does not answer`)) : cut.delete(node),
  };
}

/** A snapshot whose first block has data. */
const aChain = (isHeld: boolean) => ({
  chain: ['s1'],
  link: {
    sizeBytes: BigInt(bytes),
    oldestPendingMs: undefined,
    closed: new Promise<never>(() => {}),
    contexts: ['base:allocation', 'qemu:allocation-depth'] as const,
    read: async (_: bigint, length: number) =>
      isHeld ? await new Promise<Uint8Array[]>(() => {}) : [new Uint8Array(length).fill(7)],
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
