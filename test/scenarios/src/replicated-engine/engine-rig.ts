import type { BlockEngine, Extent, InstanceHost } from '@lateen/block-engine';
import { silentLogger, systemClock } from '@lateen/kernel';
import type { KubeObject } from '@lateen/kube';
import {
  objectNameOf,
  type ReplicatedEngineOptions,
  replicatedBlockEngine,
  type SnapshotReads,
} from '@lateen/replicated-engine';
import { fakeCluster, MemoryDevices, ModelManager, readContent, seededRandom } from '@lateen/testing';

export const namespace = 'longhorn-system';
const granule = 65_536;
const blockBytes = 4096;

const allNodes = ['node-1', 'node-2', 'node-3'];

/** For tests: an engine over the in-memory API with a model of the manager, which places replicas on `nodes`. */
export function engineRig(
  options: Partial<ReplicatedEngineOptions> & {
    nodes?: readonly string[];
    isManaged?: boolean;
    holdOff?: () => string | undefined;
  } = {},
) {
  const { nodes = allNodes, isManaged = true, holdOff, ...engineOptions } = options;
  const clock = options.clock ?? systemClock;
  const cluster = fakeCluster({ clock });
  cluster.put(
    ...allNodes.flatMap((name) => [longhornNode(name), { apiVersion: 'v1', kind: 'Node', metadata: { name } }]),
  );
  const devices = new MemoryDevices();
  const model = { cluster, devices, nodes, ...(holdOff === undefined ? {} : { holdOff }) };
  const manager = isManaged ? new ModelManager(model) : undefined;
  const engine: BlockEngine = replicatedBlockEngine({
    kube: cluster,
    namespace,
    clock,
    random: seededRandom(1),
    log: silentLogger,
    snapshotReads: readsOf(devices),
    hostOf: () => hostOf(devices),
    ...engineOptions,
  });
  return { cluster, devices, manager, engine };
}

const GiB = 1024 ** 3;

function longhornNode(name: string): KubeObject {
  const holds = (type: string) => ({ type, status: 'True', reason: '', message: '' });
  const conditions = [holds('Ready'), holds('Schedulable')];
  const disk = {
    conditions,
    storageMaximum: 100 * GiB,
    storageAvailable: 80 * GiB,
    storageScheduled: 10 * GiB,
    diskUUID: `disk-of-${name}`,
    diskPath: '/data',
  };
  return {
    apiVersion: 'longhorn.io/v1beta2',
    kind: 'Node',
    metadata: { name, namespace },
    spec: {
      name,
      allowScheduling: true,
      tags: ['fast'],
      disks: { d: { path: '/data', allowScheduling: true, storageReserved: 30 * GiB, tags: ['ssd'] } },
    },
    status: { conditions, diskStatus: { d: disk } },
  } as KubeObject;
}

/** Provides only what a revert needs. */
const hostOf = (devices: MemoryDevices) =>
  ({
    engineRevert: ({ engine, snapshot }: { engine: string; snapshot: string }) =>
      devices.revert(engine.replace(/-e-0$/, ''), snapshot),
  }) as unknown as InstanceHost;

function readsOf(devices: MemoryDevices): SnapshotReads {
  const contentOf = (volume: string, snapshot: string) =>
    devices.contentOf(objectNameOf(volume), objectNameOf(snapshot));
  return {
    async *extents({ volume, snapshot, since, startBytes = 0n }) {
      const content = contentOf(volume, snapshot);
      const older = since === undefined ? undefined : contentOf(volume, since);
      const numbers = new Set([...content.keys(), ...(older?.keys() ?? [])]);
      const differs = [...numbers].filter((at) => {
        const [mine, other] = [readContent(content, at * blockBytes, blockBytes), older];
        return other === undefined || !Buffer.from(mine).equals(readContent(other, at * blockBytes, blockBytes));
      });
      const granules = [...new Set(differs.map((at) => Math.floor((at * blockBytes) / granule)))].sort((a, b) => a - b);
      yield* joined(granules, startBytes);
    },
    async open({ volume, snapshot }) {
      const content = contentOf(volume, snapshot);
      return {
        sizeBytes: 0n,
        read: async (at, into) => into.set(readContent(content, Number(at), into.length)),
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
}

function joined(granules: readonly number[], startBytes: bigint): Extent[] {
  const extents: { startBytes: bigint; lengthBytes: bigint }[] = [];
  for (const at of granules) {
    const start = BigInt(at * granule);
    if (start < startBytes) continue;
    const last = extents.at(-1);
    if (last !== undefined && last.startBytes + last.lengthBytes === start) last.lengthBytes += BigInt(granule);
    else extents.push({ startBytes: start, lengthBytes: BigInt(granule) });
  }
  return extents;
}
