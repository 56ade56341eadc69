import type { GraphBuilding } from './graph-building.ts';
import type { KindBarrier } from './kind-barriers.ts';
import type { KindBunch } from './kind-bunches.ts';

/**
 * Adds edges of kinds that wait for other kinds: through a gate behind the awaited objects and one before the waiting objects, so that the
 * number of edges is that of the objects, not its square.
 */
export function addKindEdges(
  building: GraphBuilding,
  barriers: readonly KindBarrier[],
  reason: 'kind' | 'declared',
): void {
  const afters = new Map<string, string[]>();
  const last = new Set<string>();
  for (const { kind, after } of barriers) {
    if (after === 'all') last.add(kind);
    else afters.set(kind, [...(afters.get(kind) ?? []), ...after]);
  }
  const bunches = building.kinds.all();
  for (const bunch of bunches) {
    const { groupResource, namespace } = bunch;
    const waited = (afters.get(groupResource) ?? []).flatMap((kind) => building.gatesBehind(kind, namespace));
    if (waited.length > 0) addBefore(building, bunch, new Set(waited), reason);
  }
  if (last.size > 0) addLast(building, bunches, last);
}

function addBefore(
  building: GraphBuilding,
  { groupResource, namespace, nodes }: KindBunch,
  waited: ReadonlySet<number>,
  reason: 'kind' | 'declared',
): void {
  const gate = building.addGate({ type: 'before', groupResource, namespace }, (nodes[0] as number) - 0.25);
  for (const behind of waited) building.edges.add(behind, gate, reason);
  for (const node of nodes) building.edges.add(gate, node, reason);
}

/** Kinds that come after everything else of their namespace, or of the cluster. */
function addLast(building: GraphBuilding, bunches: readonly KindBunch[], last: ReadonlySet<string>): void {
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
