import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EnsureEngine, EnsureReplica, Instance, InstanceKind, ReplicaAddress } from '@lateen/block-engine';
import { type BlockTools, blockTools, freePorts } from '@lateen/cluster';
import { systemClock as clock, systemRandom as random } from '@lateen/kernel';
import type { KubeObject, ResourceType } from '@lateen/kube';
import {
  type Engine,
  engineType,
  type Replica,
  type ReplicaMode,
  replicaType,
  storageAnnotations,
} from '@lateen/storage-types';
import { type FakeCluster, fakeCluster, serveFakeCluster, testCertificates } from '@lateen/testing';
import { type NodeOptions, o, type RigNode, rigNode, writeTls } from './instance-manager-rig.ts';

const MiB = 1024 * 1024;
export const volume = {
  ...{ name: 'pvc-1', uid: 'volume-uid', engine: 'pvc-1-e-0', namespace: 'longhorn-system' },
  bytes: 384 * MiB,
} as const;
export interface VolumeOf {
  readonly name: string;
  readonly uid: string;
  readonly engine: string;
  readonly namespace: string;
  readonly bytes: number;
}
const apiVersion = 'longhorn.io/v1beta2';
const engineKey = { namespace: volume.namespace, name: volume.engine };

/** A volume of two replicas on two instance managers of this machine, with an API server in memory; the test acts as the manager. */
export interface ManagedVolume extends AsyncDisposable {
  readonly tools: BlockTools;
  readonly directory: string;
  readonly cluster: FakeCluster;
  readonly nodes: readonly [RigNode, RigNode];
  /** Attaches as a manager does: replicas first, then the engine, which is on the first node. */
  attach(generation: number, replicas: Readonly<Record<string, number>>, more?: Partial<EnsureEngine>): Promise<string>;
  /** The engine of {@link attach} without a front end. For another volume its objects are created too. */
  engine(
    generation: number,
    replicas: Readonly<Record<string, number>>,
    more?: Partial<EnsureEngine>,
    of?: VolumeOf,
  ): Promise<Instance>;
  ensureReplica(
    node: RigNode,
    name: string,
    more: Pick<EnsureReplica, 'generation'> & Partial<EnsureReplica>,
    of?: VolumeOf,
  ): Promise<ReplicaAddress>;
  engineRequest(
    generation: number,
    replicas: readonly ReplicaAddress[],
    more?: Partial<EnsureEngine>,
    of?: VolumeOf,
  ): EnsureEngine;
  frontend(generation: number): Promise<Instance>;
  stop(node: RigNode, kind: InstanceKind, name: string, generation: number): Promise<{ clean: boolean }>;
  raise(generation: number): Promise<void>;
  modes(): Promise<Readonly<Record<string, string>>>;
  failedAt(replica: string): Promise<string | undefined>;
}

export interface ManagedVolumeOptions {
  /** The port at which the first node reaches the API server, given its real port; default: the real one. */
  firstAsks?(apiPort: number): Promise<number>;
  /** How the instance manager of the first node is started. */
  firstRuns?: Pick<NodeOptions, 'command' | 'inPod'>;
  /** Size of the volume. */
  bytes?: number;
  /** See {@link NodeOptions}. */
  program?: readonly string[];
}

export async function managedVolume(
  replicas: readonly string[],
  { firstAsks = async (apiPort) => apiPort, firstRuns, bytes = volume.bytes, program }: ManagedVolumeOptions = {},
): Promise<ManagedVolume> {
  const own: VolumeOf = { ...volume, bytes };
  await using undo = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'lateen-iv-'));
  undo.defer(() => rm(directory, { recursive: true, force: true }));
  const tools = await blockTools();
  await writeTls(directory);
  const definitions = [definitionOf(engineType), definitionOf(replicaType)];
  const cluster = fakeCluster({
    clock,
    random,
    objects: [...definitions, ...objectsOf(own, replicas.slice(0, 2), replicas)],
  });
  const api = await serveFakeCluster(cluster, { tls: testCertificates().server });
  undo.defer(() => api.close());
  const [managerPort = 0] = await freePorts(1);
  const nodeOf = async (name: string, address: string, apiPort: number, runs?: typeof firstRuns) => {
    const environment = await podEnvironment(directory, apiPort);
    const places = { tools, directory, managerPort, environment, name, address };
    return undo.use(await rigNode({ ...places, ...runs, ...(program === undefined ? {} : { program }) }));
  };
  const first = await nodeOf('n1', '127.0.0.2', await firstAsks(api.port), firstRuns);
  const second = await nodeOf('n2', '127.0.0.3', api.port);
  const stack = undo.move();
  const ensureReplica: ManagedVolume['ensureReplica'] = async (node, name, more, of = own) => {
    const folder = join(node.disk, 'replicas', name);
    const identity = { name, volume: of.name, volumeUid: of.uid, directory: folder };
    const request = { ...identity, sizeBytes: BigInt(of.bytes), mayCreate: true, rebuilding: false, ...more };
    const { port = 0 } = await node.host.ensureReplica(request, o);
    return { replica: name, host: node.address, port, local: node === first };
  };
  const engineRequest: ManagedVolume['engineRequest'] = (generation, addresses, more = {}, of = own) => ({
    ...{ name: of.engine, volume: of.name, volumeUid: of.uid, generation, replicas: addresses },
    ...{ sizeBytes: BigInt(of.bytes), replyTimeoutMs: 8_000, compareHeads: false },
    record: {
      ...{ namespace: of.namespace, engine: of.engine },
      engineUid: cluster.find(engineType, { namespace: of.namespace, name: of.engine })?.metadata.uid ?? '',
      replicas: Object.fromEntries((of === own ? replicas : addresses.map(({ replica }) => replica)).map(same)),
    },
    ...more,
  });
  const nodes = [first, second] as const;
  const frontend: ManagedVolume['frontend'] = (generation) =>
    first.host.ensureFrontend(
      {
        ...{ name: volume.engine, volume: volume.name, engine: volume.engine, generation, readOnly: false },
        sizeBytes: BigInt(bytes),
      },
      o,
    );
  const engine: ManagedVolume['engine'] = async (generation, wanted, more, of = own) => {
    if (of !== own) cluster.put(...objectsOf(of, Object.keys(wanted), Object.keys(wanted)));
    const addresses: ReplicaAddress[] = [];
    for (const [name, node] of Object.entries(wanted))
      addresses.push(await ensureReplica(nodes[node] ?? first, name, { generation, mayCreate: generation === 1 }, of));
    return await first.host.ensureEngine(engineRequest(generation, addresses, more, of), o);
  };
  return {
    ...{ tools, directory, cluster, nodes, ensureReplica, engineRequest, engine, frontend },
    attach: async (generation, wanted, more) => {
      await engine(generation, wanted, more);
      return (await frontend(generation)).endpoint ?? '';
    },
    stop: (node, kind, name, generation) => node.host.stop({ kind, name, generation }, o),
    raise: async (generation) => {
      const body = { metadata: { annotations: { [storageAnnotations.generation]: `${generation}` } } };
      await cluster.patch(engineType, engineKey, { type: 'merge', body });
    },
    modes: async () => (await cluster.get(engineType, engineKey)).status?.replicaModeMap ?? {},
    failedAt: async (name) => (await cluster.get(replicaType, { namespace: volume.namespace, name })).spec.failedAt,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** The state of the engine when the condition holds. @throws with the last state when it does not hold within two minutes */
export async function engineUntil(node: RigNode, isSo: (engine: Instance) => boolean): Promise<Instance> {
  let last: Instance | undefined;
  for await (const event of node.host.watch({ signal: clock.deadline(120_000) })) {
    if (event.type !== 'changed' || event.instance.kind !== 'engine') continue;
    last = event.instance;
    if (isSo(last)) return last;
  }
  throw new Error(
    `not in time: ${JSON.stringify(last, (_, value) => (typeof value === 'bigint' ? `${value}` : value))}`,
  );
}

/** Detaches the volume. True when all acknowledged writes are on all replicas. */
export async function detach(
  { stop, nodes }: ManagedVolume,
  generation: number,
  replicas: Readonly<Record<string, number>>,
) {
  await stop(nodes[0], 'frontend', volume.engine, generation);
  const { clean } = await stop(nodes[0], 'engine', volume.engine, generation);
  for (const [name, at] of Object.entries(replicas)) await stop(nodes[at] ?? nodes[0], 'replica', name, generation);
  return clean;
}

/** The environment that kubelet gives a pod. */
async function podEnvironment(directory: string, port: number): Promise<Record<string, string>> {
  const account = join(directory, 'account');
  await mkdir(account, { recursive: true });
  await writeFile(join(account, 'ca.crt'), testCertificates().ca);
  await writeFile(join(account, 'token'), 'token');
  await writeFile(join(account, 'namespace'), volume.namespace);
  return { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: `${port}`, LATEEN_SERVICE_ACCOUNT: account };
}

/** Registers the kinds, so that paths of requests are understood. */
const definitionOf = ({ group, version, resource, kind }: ResourceType): KubeObject & Record<string, unknown> => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${resource}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: resource, kind },
    versions: [{ name: version, served: true, storage: true }],
  },
});

const same = (name: string): [string, string] => [name, name];

/** @param inSet replicas of the engine; @param all existing replicas */
const objectsOf = (of: VolumeOf, inSet: readonly string[], all: readonly string[]): (Engine | Replica)[] => [
  engineObject(of, inSet),
  ...all.map((name) => replicaObject(of, name)),
];

const engineObject = ({ namespace, engine: name }: VolumeOf, replicas: readonly string[]): Engine => ({
  apiVersion,
  kind: 'Engine',
  metadata: { namespace, name, annotations: { [storageAnnotations.generation]: '1' } },
  spec: {},
  status: {
    replicaModeMap: Object.fromEntries(replicas.map((name): [string, ReplicaMode] => [name, 'RW'])),
    replicaTransitionTimeMap: {},
  },
});

const replicaObject = (of: VolumeOf, name: string): Replica => ({
  apiVersion,
  kind: 'Replica',
  metadata: { name, namespace: of.namespace },
  spec: { engineName: of.engine, volumeName: of.name },
});
