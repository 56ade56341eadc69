import type { Building } from './build-graph.ts';
import type { KindBarrier } from './kind-barriers.ts';

/** Objects of one kind in one namespace, or cluster-scoped: first and last of them in the serial order. */
interface Bunch {
  groupResource: string;
  namespace: string | undefined;
  nodes: number[];
}

/**
 * Edges of kinds that wait for other kinds: over a gate behind the ones and a gate before the others, so that their number is that of the
 * objects, not its square.
 */
export function addKindEdges(building: Building, barriers: readonly KindBarrier[]): void {
  const afters = new Map<string, string[]>();
  const last = new Set<string>();
  for (const { kind, after } of barriers) {
    if (after === 'all') last.add(kind);
    else afters.set(kind, [...(afters.get(kind) ?? []), ...after]);
  }
  const bunches = bunchesOf(building);
  const gates = new KindGates(building, bunches, afters);
  for (const bunch of bunches.values()) {
    if (last.has(bunch.groupResource)) continue;
    gates.addBefore(bunch);
  }
  addLast(building, [...bunches.values()], last);
}

const keyOf = (groupResource: string, namespace: string | undefined): string => `${groupResource} ${namespace ?? ''}`;

function bunchesOf({ items }: Building): Map<string, Bunch> {
  const bunches = new Map<string, Bunch>();
  for (const [node, { groupResource, namespace }] of items.entries()) {
    const key = keyOf(groupResource, namespace);
    const bunch = bunches.get(key);
    if (bunch === undefined) bunches.set(key, { groupResource, namespace, nodes: [node] });
    else bunch.nodes.push(node);
  }
  return bunches;
}

class KindGates {
  readonly #building: Building;
  readonly #bunches: ReadonlyMap<string, Bunch>;
  readonly #afters: ReadonlyMap<string, readonly string[]>;
  /** Namespaces in which a kind has objects, for cluster-scoped kinds that wait for namespaced ones. */
  readonly #namespacesOf: Map<string, (string | undefined)[]>;
  readonly #behind = new Map<Bunch, number>();

  constructor(building: Building, bunches: ReadonlyMap<string, Bunch>, afters: ReadonlyMap<string, readonly string[]>) {
    this.#building = building;
    this.#bunches = bunches;
    this.#afters = afters;
    this.#namespacesOf = new Map();
    for (const { groupResource, namespace } of bunches.values()) {
      const namespaces = this.#namespacesOf.get(groupResource);
      if (namespaces === undefined) this.#namespacesOf.set(groupResource, [namespace]);
      else namespaces.push(namespace);
    }
  }

  addBefore(bunch: Bunch): void {
    const { groupResource, namespace, nodes } = bunch;
    const waited = this.#waitedFor(groupResource, namespace);
    if (waited.length === 0) return;
    const { edges } = this.#building;
    const gate = this.#building.addGate({ type: 'before', groupResource, namespace }, (nodes[0] as number) - 0.25);
    for (const behind of waited) edges.add(behind, gate, 'kind');
    for (const node of nodes) edges.add(gate, node, 'kind');
  }

  /** Gates behind all that a kind waits for in a namespace. */
  #waitedFor(kind: string, namespace: string | undefined): number[] {
    const found = new Set<number>();
    for (const after of this.#afters.get(kind) ?? []) {
      for (const place of this.#placesOf(after, namespace)) {
        const bunch = this.#bunches.get(keyOf(after, place));
        if (bunch !== undefined) found.add(this.#gateBehind(bunch));
      }
    }
    return [...found];
  }

  /** Where objects of a kind concern those of a namespace: in it, and cluster-scoped; all of them concern cluster-scoped ones. */
  #placesOf(kind: string, namespace: string | undefined): readonly (string | undefined)[] {
    return namespace === undefined ? (this.#namespacesOf.get(kind) ?? []) : [namespace, undefined];
  }

  #gateBehind(bunch: Bunch): number {
    const known = this.#behind.get(bunch);
    if (known !== undefined) return known;
    const { groupResource, namespace, nodes } = bunch;
    const gate = this.#building.addGate({ type: 'after', groupResource, namespace }, (nodes.at(-1) as number) + 0.25);
    for (const node of nodes) this.#building.edges.add(node, gate, 'kind');
    this.#behind.set(bunch, gate);
    return gate;
  }
}

/** Kinds that come after everything else of their namespace, or of the cluster. */
function addLast(building: Building, bunches: readonly Bunch[], last: ReadonlySet<string>): void {
  const waiting = bunches.filter(({ groupResource }) => last.has(groupResource));
  if (waiting.length === 0) return;
  const others = bunches.filter(({ groupResource }) => !last.has(groupResource));
  const byNamespace = Map.groupBy(others, ({ namespace }) => namespace);
  for (const [namespace, those] of Map.groupBy(waiting, (bunch) => bunch.namespace)) {
    const before = namespace === undefined ? others : (byNamespace.get(namespace) ?? []);
    if (before.length === 0) continue;
    const rank = before.reduce((highest, { nodes }) => Math.max(highest, nodes.at(-1) as number), 0) + 0.25;
    const gate = building.addGate({ type: 'all', namespace }, rank);
    for (const { nodes } of before) for (const node of nodes) building.edges.add(node, gate, 'kind');
    for (const { nodes } of those) for (const node of nodes) building.edges.add(gate, node, 'kind');
  }
}
