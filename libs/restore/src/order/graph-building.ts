import type { CatalogItem } from '../engine/contract.ts';
import { withoutCircles } from './break-circles.ts';
import { EdgeList } from './edges.ts';
import type { Gate } from './gates.ts';
import { type KindBunch, KindBunches } from './kind-bunches.ts';
import type { OrderProblem, RestoreGraph } from './restore-graph.ts';

/** A graph while gates and edges are added. */
export class GraphBuilding {
  readonly items: readonly CatalogItem[];
  readonly edges = new EdgeList();
  readonly gates: Gate[] = [];
  readonly problems: OrderProblem[] = [];
  readonly kinds: KindBunches;
  readonly #gateRanks: number[] = [];
  readonly #behind = new Map<KindBunch, number>();
  readonly #nodes: Map<CatalogItem, number>;

  constructor(items: readonly CatalogItem[]) {
    this.items = items;
    this.kinds = new KindBunches(items);
    this.#nodes = new Map(items.map((item, node) => [item, node]));
  }

  /** The node of an object; undefined when it is not restored. */
  nodeOf(item: CatalogItem | undefined): number | undefined {
    return item === undefined ? undefined : this.#nodes.get(item);
  }

  /** @param rank between the ranks of two items: 4.5 comes after item 4 */
  addGate(gate: Gate, rank: number): number {
    this.gates.push(gate);
    this.#gateRanks.push(rank);
    return this.items.length + this.gates.length - 1;
  }

  /** The gates behind all objects of a kind that objects of a namespace may depend on. */
  gatesBehind(groupResource: string, namespace: string | undefined): number[] {
    return this.kinds.concerning(groupResource, namespace).map((bunch) => this.#gateBehind(bunch));
  }

  #gateBehind(bunch: KindBunch): number {
    const known = this.#behind.get(bunch);
    if (known !== undefined) return known;
    const { groupResource, namespace, nodes } = bunch;
    const gate = this.addGate({ type: 'after', groupResource, namespace }, (nodes.at(-1) as number) + 0.25);
    for (const node of nodes) this.edges.add(node, gate, 'kind');
    this.#behind.set(bunch, gate);
    return gate;
  }

  end(): RestoreGraph {
    const { items, gates, problems } = this;
    const nodes = items.length + gates.length;
    const ranks = new Float64Array(nodes);
    for (let node = 0; node < items.length; node++) ranks[node] = node;
    ranks.set(this.#gateRanks, items.length);
    return { items, gates, ranks, problems, ...withoutCircles(this.edges, nodes, ranks) };
  }
}
