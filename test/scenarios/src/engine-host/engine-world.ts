import type { BlockTarget, EnsureEngine, Instance } from '@lateen/block-engine';
import { type EngineHostPorts, engineHost } from '@lateen/engine-host';
import { type Engine, engineType, type Replica, type ReplicaMode, storageAnnotations } from '@lateen/storage-types';
import { FakeClock, fakeCluster, letWorkRun, recordingLog, seededRandom } from '@lateen/testing';
import { engineRequest, ModelReplicaHost, unit } from './model-volume.ts';

const namespace = 'longhorn-system';
const apiVersion = 'longhorn.io/v1beta2';
const key = { namespace, name: 'v-e-0' };

/** One engine process, the replicas that it can reach, and the API server; for tests. */
export function engineWorld(
  names: readonly string[],
  o: Partial<EnsureEngine> & { spare?: readonly string[]; seed?: number } = {},
) {
  const { spare = [], seed = 1, ...changed } = o;
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const hosts = new Map<string, ModelReplicaHost>();
  for (const name of [...names, ...spare])
    hosts.set(name, new ModelReplicaHost({ name, sizeBytes: 16 * unit, clock, others: hosts }));
  const { cluster, ports, log, served, ends } = portsOf(names, spare, { hosts, clock, seed });
  const host = engineHost(ports, { copySilentMs: 60_000, purgeSilentMs: 60_000 });
  const request = engineRequest(names, changed);
  const o1 = { signal: new AbortController().signal };
  return {
    clock,
    cluster,
    log,
    host,
    hostOf: (name: string) => hostIn(hosts, name),
    ports,
    request,
    ends,
    start: () => host.ensureEngine(request, o1),
    target: () => served[0] as BlockTarget,
    /** Its state as a watch reports it now. */
    instance: () => lastOf(host, o1),
    modesNow: async () => (await cluster.get(engineType, key)).status?.replicaModeMap,
    raise: (generation: string) => {
      const body = { metadata: { annotations: { [storageAnnotations.generation]: generation } } };
      return cluster.patch(engineType, key, { type: 'merge', body });
    },
    pass: async (ms: number, stepMs = 500) => {
      for (let passed = 0; passed < ms; passed += stepMs) {
        await letWorkRun();
        await clock.advance(stepMs);
      }
      await letWorkRun();
    },
  };
}

function portsOf(
  names: readonly string[],
  spare: readonly string[],
  { hosts, clock, seed }: { hosts: ReadonlyMap<string, ModelReplicaHost>; clock: FakeClock; seed: number },
) {
  const modes = Object.fromEntries(names.map((name): [string, ReplicaMode] => [name, 'RW']));
  const cluster = fakeCluster({ clock, objects: [engineObject(modes), ...[...names, ...spare].map(replicaObject)] });
  const log = recordingLog();
  const served: BlockTarget[] = [];
  const ends: string[] = [];
  const facts = { apiMin: 1, apiMax: 1, version: '', node: 'n1', qsdVersion: '', frontends: [], probes: [], disks: [] };
  const ports: EngineHostPorts = {
    kube: cluster,
    clock,
    random: seededRandom(seed),
    log,
    connectReplica: async ({ replica }, { generation }) => hostIn(hosts, replica).connect(generation),
    connectControl: async ({ replica }) => hostIn(hosts, replica),
    serve: async (target) => {
      served.push(target);
      return {
        endpoint: { path: '/run/v.sock' },
        addExport: () => {},
        removeExport: async () => {},
        [Symbol.asyncDispose]: async () => void ends.push('server'),
      };
    },
    info: () => facts,
  };
  return { cluster, ports, log, served, ends };
}

function hostIn(hosts: ReadonlyMap<string, ModelReplicaHost>, name: string): ModelReplicaHost {
  const found = hosts.get(name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}

async function lastOf(host: ReturnType<typeof engineHost>, o: { signal: AbortSignal }): Promise<Instance> {
  let last: Instance | undefined;
  for await (const event of host.watch(o)) {
    if (event.type === 'synced') break;
    if (event.type === 'changed') last = event.instance;
  }
  if (last === undefined) throw new Error('there is no engine');
  return last;
}

const engineObject = (replicaModeMap: Record<string, ReplicaMode>): Engine => ({
  apiVersion,
  kind: 'Engine',
  metadata: { ...key, uid: 'engine-uid', annotations: { [storageAnnotations.generation]: '7' } },
  spec: {},
  status: { replicaModeMap, replicaTransitionTimeMap: {} },
});

const replicaObject = (name: string): Replica => ({
  apiVersion,
  kind: 'Replica',
  metadata: { name, namespace },
  spec: {},
});

export const engineKey = key;
