import type { RestorePlanEdge } from '@lateen/backup-store';
import type { CatalogItem } from '../engine/contract.ts';
import type { Edges } from './edges.ts';
import { type Gate, gateText } from './gates.ts';

/** The order of a restore as data: objects, what they wait for, and who goes first of those that wait for nothing. */
export interface RestoreGraph {
  /** Nodes 0 to n - 1: the objects, in the order of a serial restore. */
  readonly items: readonly CatalogItem[];
  /** The nodes after them. */
  readonly gates: readonly Gate[];
  /** Without circles. */
  readonly edges: Edges;
  /** Place in the serial order, by node; gates are between objects. */
  readonly ranks: Float64Array;
  /** What people have said of the order and what cannot be understood. */
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
  /** The object that says so. */
  readonly item?: CatalogItem;
  readonly text: string;
}

/** `deployments.apps shop/db`. */
export function itemText({ groupResource, namespace, name }: CatalogItem): string {
  return `${groupResource} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** `deployments.apps shop/db`, or what a gate stands for. */
export function nodeText({ items, gates }: RestoreGraph, node: number): string {
  const item = items[node];
  if (item !== undefined) return itemText(item);
  const gate = gates[node - items.length];
  return gate === undefined ? '' : gateText(gate);
}

/** What waits for what, as the plan of a restore tells it. */
export function* planEdges(graph: RestoreGraph): Generator<RestorePlanEdge> {
  const { edges, ranks } = graph;
  for (let node = 0; node < ranks.length; node++) {
    const earlier = nodeText(graph, node);
    for (let place = edges.first(node); place < edges.end(node); place++)
      yield { earlier, later: nodeText(graph, edges.to(place)), why: edges.reason(place) };
  }
}
