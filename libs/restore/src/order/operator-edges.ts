import { annotations } from '@lateen/api-types';
import type { CatalogItem } from '../engine/contract.ts';
import type { GraphBuilding } from './graph-building.ts';
import type { GraphRules } from './graph-rules.ts';
import { isCustom } from './item-edges.ts';
import type { KindBunch } from './kind-bunches.ts';

/** Objects that must come after the custom resource that owns them (CloudNativePG: a pod without its Cluster ends). */
const afterOwner: ReadonlySet<string> = new Set(['pods', 'persistentvolumeclaims']);

/** Kinds that wait for pods. When their owner must come before its own pods, they cannot come before the owner. */
const afterPods: ReadonlySet<string> = new Set([
  'replicasets.apps',
  'replicationcontrollers',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'jobs.batch',
  'cronjobs.batch',
]);

/** Kinds that operators create for a resource as soon as they see it, with new passwords and often without an owner reference. */
const settings: ReadonlySet<string> = new Set(['secrets', 'configmaps', 'serviceaccounts', 'services']);

/**
 * Restores a custom resource before the pods and claims that it owns, and after everything else that it owns: its operator uses existing
 * objects and creates missing ones.
 */
export function addOwnerEdges(building: GraphBuilding): void {
  const byUid = new Map<string, number>();
  for (const [node, { uid, apiVersion }] of building.items.entries())
    if (uid !== undefined && isCustom(apiVersion)) byUid.set(uid, node);
  if (byUid.size === 0) return;
  const owned = building.items.flatMap((item, node) =>
    item.owners.flatMap(({ uid }) => {
      const owner = byUid.get(uid);
      return owner === undefined ? [] : [{ item, node, owner }];
    }),
  );
  const beforePods = new Set<number>();
  for (const { item, node, owner } of owned) {
    if (!afterOwner.has(item.groupResource)) continue;
    beforePods.add(owner);
    building.edges.add(owner, node, 'owner');
  }
  for (const { item, node, owner } of owned) {
    const { groupResource } = item;
    if (afterOwner.has(groupResource) || (afterPods.has(groupResource) && beforePods.has(owner))) continue;
    building.edges.add(node, owner, 'owner');
  }
}

/** Custom resources come after the settings of their namespace; cluster-scoped ones after all. Settings with a declared order are left out. */
export function addOperatorEdges(building: GraphBuilding, { requirements = [], named }: GraphRules): void {
  const bunches = building.kinds.all();
  const custom = bunches.filter(({ nodes }) => isCustom(building.items[nodes[0] as number]?.apiVersion ?? ''));
  if (custom.length === 0) return;
  const declared = new Set(requirements.map(({ groupKind }) => named(groupKind)));
  const before = bunches.filter(({ groupResource }) => settings.has(groupResource) && !declared.has(groupResource));
  const gates = settingsGates(building, before);
  for (const { namespace, nodes } of custom) {
    const gate = gates.get(namespace);
    if (gate !== undefined) for (const node of nodes) building.edges.add(gate, node, 'operator');
  }
}

/** The gates by namespace; the key undefined has one gate behind all of them. */
function settingsGates(building: GraphBuilding, before: readonly KindBunch[]): Map<string | undefined, number> {
  const gates = new Map<string | undefined, number>();
  const add = (namespace: string | undefined, waited: readonly number[], last: number) => {
    const gate = building.addGate({ type: 'settings', namespace }, last + 0.25);
    for (const node of waited) building.edges.add(node, gate, 'operator');
    gates.set(namespace, gate);
  };
  let last = 0;
  for (const [namespace, those] of Map.groupBy(before, (bunch) => bunch.namespace)) {
    if (namespace === undefined) continue;
    const nodes = those.flatMap((bunch) => bunch.nodes).filter((node) => !isDeclared(building.items[node]));
    const lastHere = nodes.reduce((most, node) => Math.max(most, node), 0);
    last = Math.max(last, lastHere);
    add(namespace, nodes, lastHere);
  }
  add(undefined, [...gates.values()], last);
  return gates;
}

const isDeclared = (item: CatalogItem | undefined): boolean =>
  item?.annotations?.[annotations.restoreAfter] !== undefined;
