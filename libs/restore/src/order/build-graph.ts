import type { ItemIdentifier } from '@lateen/item-actions';
import type { CatalogItem } from '../engine/contract.ts';
import { withoutCircles } from './break-circles.ts';
import { EdgeList } from './edges.ts';
import type { Gate } from './gates.ts';
import { barriersFor, type KindBarrier } from './kind-barriers.ts';
import { addKindEdges } from './kind-edges.ts';
import type { PriorityOrder } from './priorities.ts';
import type { RestoreGraph } from './restore-graph.ts';

export interface GraphRules {
  readonly order: PriorityOrder;
  /** The namespace that a namespace of the backup is restored into. */
  mapped(namespace: string): string;
  find(item: ItemIdentifier): CatalogItem | undefined;
  /** Default: `kindBarriers`. */
  readonly barriers?: readonly KindBarrier[];
}

export const definitionsResource = 'customresourcedefinitions.apiextensions.k8s.io';

/** Objects that a custom resource owns and that must not work without it (CloudNativePG: a pod without its Cluster ends). */
const afterOwner = new Set(['pods', 'persistentvolumeclaims']);

/** The order in which objects are restored. Linear in objects and what they name. */
export function buildGraph(chosen: readonly CatalogItem[], rules: GraphRules): RestoreGraph {
  const items = serialOrder(chosen, rules.order);
  const building = new Building(items);
  addNamespaceEdges(building, rules);
  addDefinitionEdges(building);
  addNeedEdges(building, rules);
  addOwnerEdges(building);
  addKindEdges(building, barriersFor(rules.order, rules.barriers));
  return building.end();
}

/** As a serial restore works: kind by kind, in each by namespace and name. */
function serialOrder(items: readonly CatalogItem[], order: PriorityOrder): CatalogItem[] {
  const kinds = [...new Set(items.map(({ groupResource }) => groupResource))].sort((a, b) => order.compare(a, b));
  const places = new Map(kinds.map((kind, place) => [kind, place]));
  return [...items].sort((a, b) => {
    const byKind = (places.get(a.groupResource) as number) - (places.get(b.groupResource) as number);
    return byKind || compareText(a.namespace ?? '', b.namespace ?? '') || compareText(a.name, b.name);
  });
}

const compareText = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** A graph that gets its gates and edges. */
export class Building {
  readonly items: readonly CatalogItem[];
  readonly edges = new EdgeList();
  readonly gates: Gate[] = [];
  readonly #gateRanks: number[] = [];
  readonly #nodes: Map<CatalogItem, number>;

  constructor(items: readonly CatalogItem[]) {
    this.items = items;
    this.#nodes = new Map(items.map((item, node) => [item, node]));
  }

  /** Undefined for an object that is not restored. */
  nodeOf(item: CatalogItem | undefined): number | undefined {
    return item === undefined ? undefined : this.#nodes.get(item);
  }

  /** @param rank between those of two items: 4.5 comes after item 4 */
  addGate(gate: Gate, rank: number): number {
    this.gates.push(gate);
    this.#gateRanks.push(rank);
    return this.items.length + this.gates.length - 1;
  }

  end(): RestoreGraph {
    const { items, gates } = this;
    const nodes = items.length + gates.length;
    const ranks = new Float64Array(nodes);
    for (let node = 0; node < items.length; node++) ranks[node] = node;
    ranks.set(this.#gateRanks, items.length);
    return { items, gates, ranks, ...withoutCircles(this.edges, nodes, ranks) };
  }
}

function addNamespaceEdges(building: Building, { mapped }: GraphRules): void {
  const gates = new Map<string, number>();
  for (const [node, { namespace }] of building.items.entries()) {
    if (namespace === undefined) continue;
    const target = mapped(namespace);
    let gate = gates.get(target);
    if (gate === undefined) {
      gate = building.addGate({ type: 'namespace', namespace: target }, node - 0.5);
      gates.set(target, gate);
    }
    building.edges.add(gate, node, 'namespace');
  }
}

/** Custom resources come after the definition of their kind, which ends when they are served. */
function addDefinitionEdges(building: Building): void {
  const definitions = new Map<string, number>();
  for (const [node, { groupResource, name }] of building.items.entries())
    if (groupResource === definitionsResource) definitions.set(name, node);
  if (definitions.size === 0) return;
  for (const [node, { groupResource }] of building.items.entries()) {
    const definition = definitions.get(groupResource);
    if (definition !== undefined) building.edges.add(definition, node, 'definition');
  }
}

function addNeedEdges(building: Building, { find }: GraphRules): void {
  for (const [node, { needs }] of building.items.entries()) {
    for (const need of needs) {
      const needed = building.nodeOf(find(need));
      if (needed !== undefined) building.edges.add(needed, node, 'needs');
    }
  }
}

function addOwnerEdges(building: Building): void {
  const byUid = new Map<string, number>();
  for (const [node, { uid, apiVersion }] of building.items.entries())
    if (uid !== undefined && isCustom(apiVersion)) byUid.set(uid, node);
  if (byUid.size === 0) return;
  for (const [node, { groupResource, owners }] of building.items.entries()) {
    if (!afterOwner.has(groupResource)) continue;
    for (const { uid } of owners) {
      const owner = byUid.get(uid);
      if (owner !== undefined) building.edges.add(owner, node, 'owner');
    }
  }
}

/** Groups of Kubernetes itself have no dot, or end in k8s.io. */
function isCustom(apiVersion: string): boolean {
  const [group = '', version] = apiVersion.split('/');
  return version !== undefined && group.includes('.') && !group.endsWith('.k8s.io');
}
