import type { CatalogItem } from '../engine/contract.ts';
import type { Edges } from './edges.ts';
import type { Gate } from './gates.ts';

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
  /** Edges that were left out because they closed a circle. */
  readonly dropped: readonly DroppedEdge[];
}

export interface DroppedEdge {
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** `deployments.apps shop/db`. */
export function itemText({ groupResource, namespace, name }: CatalogItem): string {
  return `${groupResource} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}
