import { type ClusterFacts, diskOf } from './cluster-facts.ts';
import { usableBytes } from './disk-room.ts';
import type { PlacedReplica } from './place-request.ts';

export interface SurplusSeen {
  readonly numberOfReplicas: number;
  /** Those that have all the data and are in use. */
  readonly healthy: readonly PlacedReplica[];
  /** Names of replicas that are being evicted. */
  readonly leaving: ReadonlySet<string>;
  readonly cluster: ClusterFacts;
  /** The node whose replica data locality wants to keep. */
  readonly keepNode?: string;
}

/**
 * The healthy replica that a volume with more of them than it should have can do without: one that is being evicted, else of the node,
 * then of the zone, that has most of them, but not the local one of a volume with data locality. Undefined while there is none too many.
 */
export function surplusReplica(seen: SurplusSeen): string | undefined {
  if (seen.healthy.length <= Math.max(seen.numberOfReplicas, 1)) return undefined;
  const zone = ({ node }: PlacedReplica) => seen.cluster.nodes.get(node)?.zone;
  const many = (of: (replica: PlacedReplica) => unknown, replica: PlacedReplica) =>
    seen.healthy.filter((other) => of(other) === of(replica)).length;
  /** The replica with the larger rank is removed first; later ranks break ties. */
  const ranks = (replica: PlacedReplica): readonly bigint[] => [
    BigInt(seen.leaving.has(replica.name)),
    BigInt(replica.node !== seen.keepNode),
    BigInt(many(({ node }) => node, replica)),
    BigInt(many(zone, replica)),
    -usable(seen.cluster, replica),
  ];
  return [...seen.healthy].sort((a, b) => inRanks(ranks(a), ranks(b)) || (a.name < b.name ? -1 : 1))[0]?.name;
}

function usable(cluster: ClusterFacts, { node, diskID }: PlacedReplica): bigint {
  const disk = diskOf(cluster, node, diskID);
  return disk === undefined ? 0n : usableBytes(disk);
}

function inRanks(a: readonly bigint[], b: readonly bigint[]): number {
  const at = a.findIndex((rank, index) => rank !== b[index]);
  return at < 0 ? 0 : (a[at] as bigint) > (b[at] as bigint) ? -1 : 1;
}
