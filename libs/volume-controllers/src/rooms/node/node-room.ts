import type { Node } from '@lateen/api-types';
import type { DiskFacts, HostInfo, InstanceHost } from '@lateen/block-engine';
import { describeError } from '@lateen/errors';
import { eachAtOnce } from '@lateen/kernel';
import { keyText, ownerReferenceTo } from '@lateen/kube';
import type { Change, Watch, WorkQueue } from '@lateen/kube-runtime';
import {
  type InstanceManager,
  instanceManagerName,
  instanceManagerType,
  type LonghornNode,
  longhornNodeType,
  type Replica,
  storageAnnotations,
} from '@lateen/storage-types';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { within } from '../../hosts/host-calls.ts';
import { verdictFor } from '../../owner/ownership.ts';
import { instanceManagerLabels } from '../instance-manager/instance-manager-pod.ts';
import { decideWholeNode, type NodeEffect, type WholeNodeSeen } from './decide-whole-node.ts';
import { defaultDisksOf } from './default-disks.ts';

/** Disks of one node that its host inspects in parallel. */
const disksAtOnce = 4;

/** Many changes of replicas within this time queue their node once. */
const gatheredWakesMs = 1_000;

const workers = 4;

/** The controller of longhorn Nodes: the status of nodes and disks, and the disks and tags that a node gets automatically. */
export function nodeRoom(context: RoomContext): Room<LonghornNode, WholeNodeSeen, NodeEffect> {
  const { caches } = context;
  const told = new Map<string, Set<string>>();
  return {
    name: 'node',
    type: longhornNodeType,
    informer: caches.nodes,
    ownership: (node) => verdictFor(context, node, node.metadata.name ?? ''),
    watches: [wakes(context)],
    workers,
    gather: async (node, signal) => await gather(context, told, node, signal),
    decide: decideWholeNode,
    apply: async (effect, pass) => {
      await apply(context, told, effect, pass);
      return undefined;
    },
    forget: ({ name }) => void told.delete(name),
  };
}

async function gather(
  context: RoomContext,
  told: ReadonlyMap<string, ReadonlySet<string>>,
  node: LonghornNode,
  signal: AbortSignal,
): Promise<WholeNodeSeen> {
  const { caches, hosts, managers, random, settings } = context;
  const name = node.metadata.name ?? '';
  const kubernetesNode = caches.kubernetesNodes.get({ name });
  const { reach, instanceManager } = hosts.facts(name);
  const host = reach === 'answers' ? await lookAt(context, node, kubernetesNode, signal) : undefined;
  return {
    node,
    kubernetesNode,
    managerIsUp: managers.available(name),
    ...(host === undefined ? {} : { host }),
    instanceManager,
    replicas: caches.replicas.list(),
    settings: settings(),
    freshUuid: () => random.uuid(),
    defaultImage: settings().text('default-instance-manager-image'),
    instanceManagers: caches.instanceManagers.byIndex('node', name),
    instancesOnNode: caches.replicas.byIndex('node', name).length + caches.engines.byIndex('node', name).length,
    toldProblems: told.get(name) ?? new Set(),
  };
}

/** The host's report about itself, and about each disk that the node has or gets. Undefined when it does not answer after all. */
async function lookAt(
  { clock, hosts, log, settings }: RoomContext,
  node: LonghornNode,
  kubernetesNode: Node | undefined,
  signal: AbortSignal,
): Promise<HostInfo | undefined> {
  const name = node.metadata.name ?? '';
  const wanted = defaultDisksOf(node, kubernetesNode, settings());
  const paths = [
    ...Object.values(node.spec.disks ?? {}).map(({ path = '' }) => path),
    ...(wanted.kind === 'wanted' ? wanted.disks.map(({ path }) => path) : []),
  ];
  try {
    const host = hosts.host(name);
    const info = await within(clock, 'look', signal, (call) => host.info(call));
    const disks: DiskFacts[] = [];
    await eachAtOnce(new Set(paths), disksAtOnce, async (path) => {
      disks.push(await inspect({ clock, host }, path, signal));
    });
    return { ...info, disks };
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ node: name, err: error }, 'the instance manager of the node does not tell of it');
    return undefined;
  }
}

/** A disk that hangs or is refused reports an error; the others are inspected nevertheless. */
async function inspect(
  { clock, host }: { readonly clock: RoomContext['clock']; readonly host: InstanceHost },
  path: string,
  signal: AbortSignal,
): Promise<DiskFacts> {
  try {
    return await within(clock, 'look', signal, (call) => host.inspectDisk(path, call));
  } catch (error) {
    signal.throwIfAborted();
    return { ...unseen, path, error: { code: 'DISK_IO', message: `${path}: ${describeError(error)}` } };
  }
}

const unseen = {
  filesystemId: '',
  filesystemType: '',
  maximumBytes: 0n,
  availableBytes: 0n,
  directIo: false,
  sparseFiles: false,
} as const;

async function apply(
  context: RoomContext,
  told: Map<string, Set<string>>,
  effect: NodeEffect,
  { object, writes, signal }: Pass<LonghornNode, WholeNodeSeen>,
): Promise<void> {
  const { clock, hosts, log } = context;
  const name = object.metadata.name ?? '';
  switch (effect.do) {
    case 'register-disk': {
      const { path, uuid } = effect;
      log.info({ node: name, disk: effect.disk, path, uuid }, 'a disk gets its identity');
      return await within(clock, 'look', signal, (call) => hosts.host(name).registerDisk({ path, uuid }, call));
    }
    case 'set-defaults':
      return await writes.change(longhornNodeType, object, (node) => withDefaults(node, effect));
    case 'create-instance-manager':
      return await writes.create(instanceManagerType, newInstanceManager(object, effect.image));
    case 'note-problem':
      told.set(name, new Set([...(told.get(name) ?? []), effect.problem]));
      return;
    case 'delete-node':
      log.info({ node: name }, 'the node is gone from the cluster and nothing is left on it');
      return await writes.delete(longhornNodeType, object);
    default:
      return effect satisfies never;
  }
}

function withDefaults(node: LonghornNode, { disks, tags }: Extract<NodeEffect, { do: 'set-defaults' }>): LonghornNode {
  const { [storageAnnotations.defaultDisks]: _, ...annotations } = node.metadata.annotations ?? {};
  return {
    ...node,
    metadata: disks === undefined ? node.metadata : { ...node.metadata, annotations },
    spec: {
      ...node.spec,
      ...(disks === undefined ? {} : { disks: { ...disks } }),
      ...(tags === undefined ? {} : { tags: [...tags] }),
    },
  };
}

/** Deleted with its node. */
function newInstanceManager(node: LonghornNode, image: string): InstanceManager {
  const { name = '', namespace = '' } = node.metadata;
  return {
    apiVersion: node.apiVersion,
    kind: instanceManagerType.kind,
    metadata: {
      name: instanceManagerName(name, image),
      namespace,
      labels: instanceManagerLabels(name, image),
      ownerReferences: [ownerReferenceTo(node)],
    },
    spec: { image, nodeID: name, type: 'aio', dataEngine: 'v1' },
  };
}

function wakes({ caches, hosts, namespace }: RoomContext): Watch {
  return {
    informer: caches.nodes,
    feed: (queue) => {
      const wake = (node: string, afterMs = 0): void => {
        if (node !== '') queue.addAfter(keyText({ namespace, name: node }), afterMs);
      };
      hosts.onChange(({ node, instances }) => {
        if (instances === 'all') wake(node);
      });
      caches.kubernetesNodes.onChange(({ object }) => wake(object.metadata.name ?? ''));
      caches.instanceManagers.onChange(({ type, object }) => {
        if (type !== 'updated') wake(object.spec.nodeID ?? '');
      });
      caches.engines.onChange(({ type, object }) => {
        if (type === 'deleted') wake(object.spec.nodeID ?? '', gatheredWakesMs);
      });
      caches.replicas.onChange((change) => {
        for (const node of nodesOf(change)) wake(node, gatheredWakesMs);
      });
      caches.settings.onChange(() => wakeAll(caches.nodes.list(), queue));
    },
  };
}

function wakeAll(nodes: readonly LonghornNode[], queue: WorkQueue): void {
  for (const { metadata } of nodes)
    queue.addAfter(keyText({ namespace: metadata.namespace ?? '', name: metadata.name ?? '' }), gatheredWakesMs);
}

/** The nodes on whose disks a change uses or frees space. */
function nodesOf(change: Change<Replica>): string[] {
  const { nodeID = '', diskID, volumeSize } = change.object.spec;
  if (change.type !== 'updated') return [nodeID];
  const { spec: before } = change.previous;
  const isSame = before.nodeID === nodeID && before.diskID === diskID && before.volumeSize === volumeSize;
  return isSame ? [] : [nodeID, before.nodeID ?? ''];
}
