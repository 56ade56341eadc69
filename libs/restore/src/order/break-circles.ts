import { type EdgeList, type EdgeReason, type Edges, edgeReasons } from './edges.ts';
import type { DroppedEdge } from './restore-graph.ts';

/** The strength of edges: rules that the API server and controllers enforce are dropped last, declarations of users and objects first. */
const strength: Readonly<Record<EdgeReason, number>> = {
  declared: 0,
  webhook: 1,
  operator: 2,
  owner: 3,
  needs: 4,
  kind: 5,
  definition: 6,
  namespace: 7,
};
const weakestFirst = edgeReasons.toSorted((one, other) => strength[one] - strength[other]);

/**
 * Removes edges until no circle is left. In each circle, edges against the serial order are dropped, the weakest kind first; when none of
 * these is left, every circle is broken, because edges that follow an order cannot form a circle. Linear time for each kind.
 */
export function withoutCircles(
  list: EdgeList,
  nodes: number,
  ranks: Float64Array,
): { edges: Edges; dropped: DroppedEdge[] } {
  let edges = list.build(nodes);
  const dropped: DroppedEdge[] = [];
  const gone = new Set<number>();
  for (const reason of weakestFirst) {
    const left = inCircles(edges, nodes);
    if (left === undefined) break;
    const before = gone.size;
    for (const node of left.nodes) {
      for (let place = edges.first(node); place < edges.end(node); place++) {
        const to = edges.to(place);
        if (edges.reason(place) !== reason || left.circleOf[to] !== left.circleOf[node]) continue;
        if (isWith(ranks, node, to)) continue;
        gone.add(edges.number(place));
        dropped.push({ from: node, to, reason });
      }
    }
    if (gone.size > before) edges = list.build(nodes, gone);
  }
  return { edges, dropped };
}

const isWith = (ranks: Float64Array, from: number, to: number): boolean => {
  const difference = (ranks[to] as number) - (ranks[from] as number);
  return difference > 0 || (difference === 0 && from < to);
};

/** The nodes in circles, and a number for each set of nodes that reach each other; undefined when there are no circles. */
function inCircles(edges: Edges, nodes: number): { nodes: number[]; circleOf: Int32Array } | undefined {
  const rest = unreached(edges, nodes);
  if (rest.length === 0) return undefined;
  const circleOf = connected(edges, nodes, rest);
  const sizes = new Map<number, number>();
  for (const node of rest) sizes.set(circleOf[node] as number, (sizes.get(circleOf[node] as number) ?? 0) + 1);
  const circled = rest.filter((node) => (sizes.get(circleOf[node] as number) ?? 0) > 1);
  return circled.length === 0 ? undefined : { nodes: circled, circleOf };
}

/** Nodes that a topological traversal does not reach. */
function unreached(edges: Edges, nodes: number): number[] {
  const pending = edges.incoming.slice();
  const ready: number[] = [];
  for (let node = 0; node < nodes; node++) if (pending[node] === 0) ready.push(node);
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (let place = edges.first(node); place < edges.end(node); place++) {
      const to = edges.to(place);
      if (--(pending[to] as number) === 0) ready.push(to);
    }
  }
  const rest: number[] = [];
  for (let node = 0; node < nodes; node++) if ((pending[node] as number) > 0) rest.push(node);
  return rest;
}

/** Strongly connected components (Tarjan), without recursion: a chain may be as long as the restore. */
function connected(edges: Edges, nodes: number, from: readonly number[]): Int32Array {
  const component = new Int32Array(nodes).fill(-1);
  const index = new Int32Array(nodes).fill(-1);
  const low = new Int32Array(nodes);
  const next = new Int32Array(nodes);
  const isOnStack = new Uint8Array(nodes);
  const stack: number[] = [];
  let count = 0;
  let components = 0;
  const visit = (node: number) => {
    index[node] = count;
    low[node] = count++;
    next[node] = edges.first(node);
    stack.push(node);
    isOnStack[node] = 1;
  };
  for (const root of from) {
    if (index[root] !== -1) continue;
    const path = [root];
    visit(root);
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const place = next[node] as number;
      if (place < edges.end(node)) {
        next[node] = place + 1;
        const to = edges.to(place);
        if (index[to] === -1) {
          path.push(to);
          visit(to);
        } else if (isOnStack[to] === 1) low[node] = Math.min(low[node] as number, index[to] as number);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) low[above] = Math.min(low[above] as number, low[node] as number);
      if (low[node] !== index[node]) continue;
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        isOnStack[member] = 0;
        component[member] = components;
        if (member === node) break;
      }
      components++;
    }
  }
  return component;
}
