import { hostError, linkLost, type OpenSnapshot, type StatusLink } from '@lateen/block-engine';
import type { csi } from '@lateen/csi';
import { isAppError } from '@lateen/errors';
import { silentLogger, systemClock } from '@lateen/kernel';
import { clusterBytes, replicatedBlockEngine } from '@lateen/replicated-engine';
import { fakeCluster, seededRandom } from '@lateen/testing';
import { expect, it } from 'vitest';
import { snapshotMetadataHandlers } from '../../csi/snapshot-metadata-service.ts';
import { replicaReads } from './replica-reads.ts';
import { replicatedSnapshotBlocks } from './snapshot-blocks.ts';

const namespace = 'longhorn-system';
const sizeBytes = 16 * clusterBytes;
const context = { signal: new AbortController().signal, log: silentLogger, header: () => undefined };
/** Which layers have data in each cluster, by name, the oldest snapshot first. */
const layers = { s1: [0, 1, 2], s2: [2, 3], s3: [9] } as const;
type Name = keyof typeof layers;
const names = Object.keys(layers) as Name[];

interface Faults {
  /** Addresses that do not answer. */
  silent?: readonly string[];
  /** The connection ends at its first request. */
  breaks?: boolean;
  full?: boolean;
}

/** The CSI service on a model of instance managers, and the snapshots that were opened and closed there. */
function service(
  replicas: Readonly<Record<string, { ip: string; currentState?: string; healthyAt?: string }>>,
  faults: Faults = {},
) {
  const cluster = fakeCluster();
  const put = (kind: string, name: string, rest: object, volume = 'vol') =>
    cluster.put({
      apiVersion: 'longhorn.io/v1beta2',
      kind,
      metadata: { name, namespace, labels: { longhornvolume: volume } },
      ...rest,
    } as never);
  put('Volume', 'vol', { spec: { size: `${sizeBytes}` } });
  for (const name of names)
    put('Snapshot', name, { spec: { volume: 'vol' }, status: { readyToUse: true, restoreSize: sizeBytes } });
  put('Volume', 'wol', { spec: { size: `${sizeBytes}` } }, 'wol');
  put('Snapshot', 'other', { spec: { volume: 'wol' }, status: { readyToUse: true, restoreSize: sizeBytes } }, 'wol');
  for (const [name, { healthyAt = '2030-01-01T00:00:00Z', currentState = 'running', ip }] of Object.entries(replicas))
    put('Replica', name, { spec: { volumeName: 'vol', healthyAt }, status: { currentState, ip } });
  const seen = { opened: [] as string[], links: 0, hosts: 0, leases: new Set<string>() };
  const reads = replicaReads({
    ...{ kube: cluster, namespace, clock: systemClock, random: seededRandom(2), log: silentLogger },
    hostAt: (address) => {
      seen.hosts++;
      const openSnapshot = async ({ replica, snapshot, reader }: OpenSnapshot) => {
        seen.opened.push(`${address} ${replica} ${snapshot}`);
        if (faults.silent?.includes(address)) throw hostError('HOST_UNREACHABLE', `${address} does not answer`);
        if (faults.full) throw hostError('NO_ROOM', '64 snapshots are being read');
        seen.leases.add(reader);
        const chain = names.slice(0, names.indexOf(snapshot as Name) + 1).reverse();
        return { export: snapshot, port: 1, sizeBytes: BigInt(sizeBytes), leaseMs: 60_000, chain };
      };
      const closeSnapshot = async ({ reader }: OpenSnapshot) => void seen.leases.delete(reader);
      return { openSnapshot, closeSnapshot, [Symbol.dispose]: () => void seen.hosts-- };
    },
    connect: async (_, exportName) => {
      seen.links++;
      return linkTo(exportName.split('.')[0] as Name, faults, () => void seen.links--);
    },
    exportKey: async () => new Uint8Array(4),
  });
  const ports = { kube: cluster, namespace, clock: systemClock, random: seededRandom(1), log: silentLogger };
  const engine = replicatedBlockEngine({ ...ports, snapshotReads: reads });
  const { getMetadataAllocated, getMetadataDelta } = snapshotMetadataHandlers(replicatedSnapshotBlocks(engine));
  const rest = { startingOffset: 0n, maxResults: 0, secrets: {} };
  const clusters = async (messages: AsyncIterable<csi.GetMetadataDeltaResponse> | undefined) => {
    try {
      return (await Array.fromAsync(messages ?? [])).flatMap(({ blockMetadata }) =>
        blockMetadata.map(
          (each) => `${each.byteOffset / BigInt(clusterBytes)}+${each.sizeBytes / BigInt(clusterBytes)}`,
        ),
      );
    } catch (error) {
      return isAppError(error) ? error.code : error;
    }
  };
  return {
    seen,
    allocated: (name: string) => clusters(getMetadataAllocated?.({ ...rest, snapshotId: name }, context)),
    delta: (base: string, target: string) =>
      clusters(getMetadataDelta?.({ ...rest, baseSnapshotId: base, targetSnapshotId: target }, context)),
  };
}

function linkTo(name: Name, { breaks }: Faults, onClose: () => void): StatusLink {
  const refuse = () => Promise.reject(new Error('only tables are read'));
  const chain = names.slice(0, names.indexOf(name) + 1).reverse();
  return {
    sizeBytes: BigInt(sizeBytes),
    oldestPendingMs: undefined,
    closed: new Promise(() => {}),
    contexts: ['base:allocation', 'qemu:allocation-depth'],
    status: async (question, at, lengthBytes) => {
      if (breaks) throw linkLost('the storage daemon has ended');
      return Array.from({ length: Math.ceil(lengthBytes / clusterBytes) }, (_, index) => {
        const place = Number(at) / clusterBytes + index;
        const depth = chain.findIndex((each) => (layers[each] as readonly number[]).includes(place)) + 1;
        return { lengthBytes: clusterBytes, value: question === 'base:allocation' ? (depth === 0 ? 3 : 0) : depth };
      });
    },
    read: refuse,
    write: refuse,
    zero: refuse,
    trim: refuse,
    flush: refuse,
    [Symbol.asyncDispose]: async () => onClose(),
  };
}

it('reads both snapshots from one running replica with all data, and closes them', async () => {
  const { allocated, delta, seen } = service({
    a: { ip: '10.0.0.1', healthyAt: '' },
    b: { ip: '10.0.0.2', currentState: 'stopped' },
    c: { ip: '10.0.0.3' },
    d: { ip: '10.0.0.4' },
  });
  expect(await allocated('snap://vol/s3')).toEqual(['0+4', '9+1']);
  expect(await delta('snap://vol/s1', 'snap://vol/s3')).toEqual(['2+2', '9+1']);
  expect(await delta('snap://vol/s3', 'snap://vol/s2')).toEqual(['9+1']);
  expect(await delta('snap://vol/s2', 'snap://vol/s2')).toEqual([]);
  expect(seen.opened).toEqual(['s3', 's3', 's1', 's2', 's3'].map((name) => `10.0.0.3 c ${name}`));
  expect([seen.links, seen.hosts, seen.leases.size]).toEqual([0, 0, 0]);
});

it('uses the next replica when one does not answer, and reports when none does', async () => {
  const replicas = { a: { ip: '10.0.0.1' }, b: { ip: '10.0.0.2' } };
  const one = service(replicas, { silent: ['10.0.0.1'] });
  expect(await one.allocated('snap://vol/s1')).toEqual(['0+3']);
  expect(one.seen.opened).toEqual(['10.0.0.1 a s1', '10.0.0.2 b s1']);
  const none = service(replicas, { silent: ['10.0.0.1', '10.0.0.2'] });
  expect(await none.allocated('snap://vol/s1')).toBe('UNAVAILABLE');
  expect([none.seen.links, none.seen.hosts, none.seen.leases.size]).toEqual([0, 0, 0]);
});

it('answers as CSI specifies', async () => {
  const running = { a: { ip: '10.0.0.1' } };
  const { allocated, delta } = service(running);
  expect(await allocated('snap://vol/nobody')).toBe('NOT_FOUND');
  expect(await allocated('snap://nobody/s1')).toBe('NOT_FOUND');
  expect(await allocated('what')).toBe('NOT_FOUND');
  expect(await allocated('bak://vol/backup-1')).toBe('FAILED_PRECONDITION');
  expect(await delta('snap://vol/nobody', 'snap://vol/s1')).toBe('NOT_FOUND');
  expect(await delta('snap://wol/other', 'snap://vol/s1')).toBe('INVALID_ARGUMENT');
  expect(await service({}).allocated('snap://vol/s1')).toBe('FAILED_PRECONDITION');
  expect(await service(running, { full: true }).allocated('snap://vol/s1')).toBe('RESOURCE_EXHAUSTED');
  const broken = service(running, { breaks: true });
  expect(await broken.allocated('snap://vol/s1')).toBe('UNAVAILABLE');
  expect([broken.seen.links, broken.seen.hosts, broken.seen.leases.size]).toEqual([0, 0, 0]);
});
