import type { ClusterFacts, NodeFacts } from './cluster-facts.ts';
import { diskFilters, nodeFilters } from './filters.ts';
import type { Place, Placement, PlaceRequest, SchedulerSettings } from './place-request.ts';
import { type Refused, sortedReasons } from './refusal.ts';
import { type Candidate, hasNoReplica, scores } from './scores.ts';
import { tiers } from './tiers.ts';
import { type UsedPlaces, usedPlaces } from './used-places.ts';

/**
 * The disk for one more replica of a volume, or why there is none. Pure, and the same for every order of nodes, disks and replicas.
 * A caller that places several at once adds each one to the facts before the next (`withReplica`).
 */
export function placeReplica(request: PlaceRequest, cluster: ClusterFacts, settings: SchedulerSettings): Placement {
  if (request.hardNode !== undefined) return placeOnHardNode(request, request.hardNode, cluster, settings);
  if (request.preferNode !== undefined) {
    const there = placeAmong(request, only(cluster, request.preferNode), cluster, settings);
    if (isPlace(there)) return there;
  }
  return placeAmong(request, byName(cluster), cluster, settings);
}

export const isPlace = (placement: Placement): placement is Place => 'node' in placement;

function placeOnHardNode(request: PlaceRequest, node: string, cluster: ClusterFacts, settings: SchedulerSettings) {
  const there = placeAmong(request, only(cluster, node), cluster, settings);
  if (isPlace(there)) return there;
  const affinity: Refused = {
    reason: 'hard affinity cannot be satisfied',
    node,
    because: 'is the only node that the replica may be on',
  };
  return refusal([...there.because, affinity]);
}

const only = (cluster: ClusterFacts, name: string): NodeFacts[] => {
  const node = cluster.nodes.get(name);
  return node === undefined ? [] : [node];
};

const byName = ({ nodes }: ClusterFacts): NodeFacts[] => [...nodes.values()].sort((a, b) => (a.name < b.name ? -1 : 1));

/** The same among some nodes only; anti-affinity still counts the replicas on all nodes. */
export function placeAmong(
  request: PlaceRequest,
  nodes: readonly NodeFacts[],
  cluster: ClusterFacts,
  settings: SchedulerSettings,
): Placement {
  if (nodes.length === 0) {
    const node = request.hardNode ?? request.preferNode ?? '';
    return refusal([{ reason: 'node not found', node, because: 'there is no such node' }]);
  }
  const refused: Refused[] = [];
  const candidates = nodes.flatMap((node) => candidatesOf(node, request, settings, refused));
  const used = usedPlaces(request, cluster);
  const found = firstTier(candidates, request, used);
  if (found !== undefined) return placeOf(best(found, used));
  return refusal([...refused, ...candidates.map((candidate) => keptApart(candidate, request, used))]);
}

function candidatesOf(
  node: NodeFacts,
  { volume }: PlaceRequest,
  settings: SchedulerSettings,
  refused: Refused[],
): Candidate[] {
  const failing = nodeFilters.find((filter) => !filter.passes(node, volume, settings));
  if (failing !== undefined) {
    refused.push({ reason: failing.reason, node: node.name, because: failing.because });
    return [];
  }
  if (node.disks.length === 0) refused.push({ reason: 'disk not found', node: node.name, because: 'has no disk' });
  const disks = [...node.disks].sort((a, b) => (a.name < b.name ? -1 : 1));
  return disks.flatMap((disk) => {
    const wrong = diskFilters.find((filter) => !filter.passes(disk, volume, settings));
    if (wrong === undefined) return [{ node, disk }];
    refused.push({ reason: wrong.reason, node: node.name, disk: disk.name, because: wrong.because });
    return [];
  });
}

function firstTier(candidates: readonly Candidate[], { policies }: PlaceRequest, used: UsedPlaces) {
  const allowed =
    policies.disk === 'hard' ? candidates.filter((candidate) => hasNoReplica(candidate, used)) : candidates;
  return tiers
    .filter((tier) => tier.applies(policies))
    .map((tier) => allowed.filter(({ node }) => tier.takes(node, used)))
    .find((pool) => pool.length > 0);
}

const best = (pool: readonly Candidate[], used: UsedPlaces): Candidate =>
  scores.reduce<readonly Candidate[]>((left, score) => score(left, used), pool)[0] as Candidate;

const placeOf = ({ node, disk }: Candidate): Place => ({
  node: node.name,
  disk: disk.name,
  diskID: disk.diskID,
  diskPath: disk.path,
});

/** Why a suitable disk is not used: the rules about two replicas of a volume in one zone, node or disk. */
function keptApart({ node, disk }: Candidate, { policies }: PlaceRequest, used: UsedPlaces): Refused {
  const at = { node: node.name, disk: disk.name };
  if (policies.zone === 'hard' && used.stayingZones.has(node.zone))
    return { ...at, reason: 'nodes are unavailable', because: 'is in a zone that has a replica of the volume' };
  if ((policies.zone === 'hard' || policies.node === 'hard') && used.stayingNodes.has(node.name))
    return { ...at, reason: 'nodes are unavailable', because: 'is on a node that has a replica of the volume' };
  return { ...at, reason: 'disks are unavailable', because: 'has a replica of the volume' };
}

const refusal = (because: readonly Refused[]): Placement => ({ refused: sortedReasons(because), because });
