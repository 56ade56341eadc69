import type { RestorePlanEdge } from '@lateen/backup-store';
import type { CatalogItem } from '../engine/contract.ts';
import type { Edges } from './edges.ts';
import { type Gate, gateText } from './gates.ts';

/** The order of a restore as data: objects, what each waits for, and which goes first among those that wait for nothing. */
export interface RestoreGraph {
  /** Nodes 0 to n - 1: the objects, in the order of a serial restore. */
  readonly items: readonly CatalogItem[];
  /** The nodes from n on. */
  readonly gates: readonly Gate[];
  /** Without circles. */
  readonly edges: Edges;
  /** The position in the serial order, by node; gates are between objects. */
  readonly ranks: Float64Array;
  /** Orders that users declared and that cannot be understood. */
  readonly problems: readonly OrderProblem[];
  /** Edges that were left out because they closed a circle. */
  readonly dropped: readonly DroppedEdge[];
}

export interface DroppedEdge {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

export interface OrderProblem {
  /** The object that declares it. */
  readonly item?: CatalogItem;
  readonly text: string;
}

/** `deployments.apps shop/db`. */
export function itemText({ groupResource, namespace, name }: CatalogItem): string {
  return `${groupResource} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** `deployments.apps shop/db`, or the description of a gate. */
export function nodeText({ items, gates }: RestoreGraph, node: number): string {
  const item = items[node];
  if (item !== undefined) return itemText(item);
  const gate = gates[node - items.length];
  return gate === undefined ? '' : gateText(gate);
}

/** Which object waits for which, in the form of a restore's plan. */
export function* planEdges(graph: RestoreGraph): Generator<RestorePlanEdge> {
  const { edges, ranks } = graph;
  for (let node = 0; node < ranks.length; node++) {
    const earlier = nodeText(graph, node);
    for (let place = edges.first(node); place < edges.end(node); place++)
      yield { earlier, later: nodeText(graph, edges.to(place)), why: edges.reason(place) };
  }
}
