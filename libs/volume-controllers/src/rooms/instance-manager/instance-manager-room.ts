import { type Node, podType } from '@lateen/api-types';
import type { HostInfo } from '@lateen/block-engine';
import { keyOf, keyText, type ObjectKey } from '@lateen/kube';
import { type Watch, type WorkQueue, watches } from '@lateen/kube-runtime';
import { type InstanceManager, instanceManagerType, storageLabels } from '@lateen/storage-types';
import type { Pass, Room } from '../../frame/room.ts';
import type { RoomContext } from '../../frame/room-context.ts';
import { watchedByAll } from '../../frame/wakes.ts';
import { within } from '../../hosts/host-calls.ts';
import type { HostLink } from '../../hosts/host-link.ts';
import { isCordoned, isDown } from '../../hosts/node-standing.ts';
import {
  decideInstanceManager,
  type InstanceManagerEffect,
  type InstanceManagerSeen,
} from './decide-instance-manager.ts';
import { drainVerdict } from './drain-verdict.ts';
import { disruptionBudget, instanceManagerPod } from './instance-manager-pod.ts';
import { podDisruptionBudgetType } from './pod-disruption-budget.ts';
import { podSettingsOf } from './pod-settings.ts';

/** Changes of many objects at once, or many changes in a row, queue a key once within this time. */
const gatheredWakesMs = 500;

const workers = 4;

/** The controller of InstanceManagers: it keeps the pod of each node that runs engines and replicas, and its status. */
export function instanceManagerRoom(
  context: RoomContext,
): Room<InstanceManager, InstanceManagerSeen, InstanceManagerEffect> {
  const { caches } = context;
  const infos = new Map<string, { readonly link: HostLink; readonly info: HostInfo }>();
  return {
    name: 'instance-manager',
    type: instanceManagerType,
    informer: caches.instanceManagers,
    ownership: 'InstanceManager',
    watches: watchesOf(context),
    workers,
    gather: async (manager, signal) => await gather(context, infos, manager, signal),
    decide: decideInstanceManager,
    apply: async (effect, pass) => {
      context.log.info(
        { instanceManager: pass.object.metadata.name, effect: effect.do },
        'an instance manager is changed',
      );
      await apply(effect, pass);
      return undefined;
    },
    forget: ({ name }) => void infos.delete(name),
  };
}

async function gather(
  context: RoomContext,
  infos: Map<string, { readonly link: HostLink; readonly info: HostInfo }>,
  manager: InstanceManager,
  signal: AbortSignal,
): Promise<InstanceManagerSeen> {
  const { caches, hosts, namespace } = context;
  const key = keyOf(manager);
  const { nodeID = '' } = manager.spec;
  const link = hosts.link(key.name);
  const node = caches.nodes.get({ namespace, name: nodeID });
  const kubernetesNode = caches.kubernetesNodes.get({ name: nodeID });
  const settings = context.settings();
  const budget = caches.budgets.get(key);
  return {
    manager,
    pod: caches.pods.get(key),
    budget,
    wantedPod: instanceManagerPod(manager, podSettingsOf(settings, node, kubernetesNode)),
    defaultImage: settings.text('default-instance-manager-image'),
    nodeIsThere: node !== undefined && node.metadata.deletionTimestamp === undefined,
    nodeIsDown: isDown(caches, nodeID),
    host: { answers: link?.answers === true, instances: link?.instances ?? [] },
    info: link === undefined ? undefined : await infoOf(context, infos, key.name, link, signal),
    drain: drainOf(context, nodeID, kubernetesNode),
  };
}

/** Queried once for each connection; without an answer the next pass queries again. */
async function infoOf(
  { clock, log }: RoomContext,
  infos: Map<string, { readonly link: HostLink; readonly info: HostInfo }>,
  name: string,
  link: HostLink,
  signal: AbortSignal,
): Promise<HostInfo | undefined> {
  const known = infos.get(name);
  if (known?.link === link) return known.info;
  if (!link.answers) return undefined;
  try {
    const info = await within(clock, 'look', signal, (call) => link.connection.host.info(call));
    infos.set(name, { link, info });
    return info;
  } catch (error) {
    signal.throwIfAborted();
    log.warn({ instanceManager: name, err: error }, 'the instance manager does not say what it is');
    return undefined;
  }
}

function drainOf({ caches, settings }: RoomContext, node: string, kubernetesNode: Node | undefined) {
  const cordoned = isCordoned(kubernetesNode);
  const policy = settings().text('node-drain-policy');
  if (!cordoned) return drainVerdict({ node, cordoned, policy, engines: [], replicas: [], protectedNodes: new Set() });
  const protectedNodes = caches.budgets
    .list()
    .flatMap(({ metadata }) => metadata.labels?.[storageLabels.instanceManagerNode] ?? []);
  return drainVerdict({
    node,
    cordoned,
    policy,
    engines: caches.engines.byIndex('node', node),
    replicas: caches.replicas.list(),
    protectedNodes: new Set(protectedNodes),
  });
}

function watchesOf(context: RoomContext): Watch[] {
  const { caches, hosts } = context;
  const managersOf = (node: string): ObjectKey[] => caches.instanceManagers.byIndex('node', node).map(keyOf);
  const drained = (queue: WorkQueue): void => {
    for (const manager of caches.instanceManagers.list())
      if (isCordoned(caches.kubernetesNodes.get({ name: manager.spec.nodeID ?? '' })))
        queue.addAfter(keyText(keyOf(manager)), gatheredWakesMs);
  };
  const told: Watch = {
    informer: caches.instanceManagers,
    feed: (queue) => {
      hosts.onChange(({ node, instances }) => {
        for (const key of managersOf(node)) queue.addAfter(keyText(key), instances === 'all' ? 0 : gatheredWakesMs);
      });
      // A drain waits for replicas, engines and budgets of other nodes.
      for (const each of [caches.replicas, caches.engines, caches.budgets]) each.onChange(() => drained(queue));
    },
  };
  return [
    told,
    watches(caches.pods, ({ object }) =>
      caches.instanceManagers.get(keyOf(object)) === undefined ? [] : [keyOf(object)],
    ),
    watches(caches.budgets, ({ object }) => [keyOf(object)]),
    watches(caches.kubernetesNodes, ({ object }) => managersOf(object.metadata.name ?? '')),
    watches(caches.nodes, ({ object }) => managersOf(object.metadata.name ?? '')),
    watchedByAll(caches.instanceManagers, caches.settings),
  ];
}

async function apply(
  effect: InstanceManagerEffect,
  { object, writes }: Pass<InstanceManager, InstanceManagerSeen>,
): Promise<void> {
  switch (effect.do) {
    case 'create-pod':
      return await writes.create(podType, effect.pod);
    case 'delete-pod':
      return await writes.delete(podType, effect.pod);
    case 'create-budget':
      return await writes.create(podDisruptionBudgetType, disruptionBudget(object));
    case 'delete-budget':
      return await writes.delete(podDisruptionBudgetType, effect.budget);
    case 'delete-manager':
      return await writes.delete(instanceManagerType, object);
    default:
      return effect satisfies never;
  }
}
