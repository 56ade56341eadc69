import type { ReplicaAutoBalance } from '@lateen/storage-types';
import { type ClusterFacts, diskOf, type NodeFacts } from './cluster-facts.ts';
import { diskPressure, underPressure } from './disk-pressure.ts';
import { isPlace, placeAmong } from './place-replica.ts';
import type { Place, PlacedReplica, PlaceRequest, SchedulerSettings } from './place-request.ts';
import { surplusReplica } from './surplus-replica.ts';

export type AutoBalance = Exclude<ReplicaAutoBalance, 'ignored'>;

/** The values "ignored" and "" of a volume mean the setting replica-auto-balance. */
export const autoBalanceOf = (volume: ReplicaAutoBalance | undefined, setting: AutoBalance): AutoBalance =>
  volume === undefined || volume === 'ignored' ? setting : volume;

export interface BalanceSeen {
  readonly mode: AutoBalance;
  readonly request: Omit<PlaceRequest, 'preferNode' | 'hardNode'>;
  readonly numberOfReplicas: number;
  readonly cluster: ClusterFacts;
  readonly settings: SchedulerSettings;
  /** replica-auto-balance-disk-pressure-percentage; 0: off. */
  readonly diskPressurePercentage: number;
  readonly avoid?: AvoidedPlaces;
  /** The node whose replica is kept for data locality. */
  readonly keepNode?: string;
}

/**
 * Where a replica of the volume could not be built: no replica is moved to these nodes from another node, nor to these disks from
 * another disk of their node.
 */
export interface AvoidedPlaces {
  readonly nodes: ReadonlySet<string>;
  readonly disks: ReadonlySet<string>;
}

/** Adds one replica at `place`; when that replica is healthy, the replica `replaces` is removed. */
export interface BalanceMove {
  readonly place: Place;
  readonly replaces: string;
  /** One sentence without a full stop. */
  readonly because: string;
  /** A move to another disk of the same node. Only one at a time, because each move frees space on the old disk. */
  readonly fromFullDisk?: boolean;
}

/**
 * One move that spreads the replicas of a healthy volume better, or none. `least-effort` uses a zone or node without a replica
 * while two replicas share one; `best-effort` continues until no zone, and no node as far as zones stay even, has two more than
 * another that could take one, and moves replicas off disks that are nearly full. A volume with a missing or a surplus replica is
 * not balanced: its repair comes first.
 */
export function decideBalance(seen: BalanceSeen): BalanceMove | undefined {
  const { replicas } = seen.request;
  if (seen.mode === 'disabled' || replicas.length !== seen.numberOfReplicas) return undefined;
  if (replicas.some(({ failed }) => failed) || seen.request.leaving.size > 0) return undefined;
  return (
    spread(seen, 'zone', (node) => node.zone) ??
    spread(seen, 'node', (node) => node.name) ??
    (seen.mode === 'best-effort' ? offFullDisk(seen) : undefined)
  );
}

interface Group {
  readonly name: string;
  readonly zone: string;
  readonly nodes: readonly NodeFacts[];
  readonly replicas: readonly PlacedReplica[];
}

/**
 * Moves from the group with most replicas that can give one to the group with fewest that has a place, as far as the mode
 * requires.
 */
function spread(
  seen: BalanceSeen,
  word: 'zone' | 'node',
  groupOf: (node: NodeFacts) => string,
): BalanceMove | undefined {
  const sorted = groupsOf(seen, groupOf);
  for (const from of sorted.toReversed())
    for (const to of sorted) {
      if (!gains(seen, word, from, to)) continue;
      const nodes = to.nodes.filter(({ name }) => seen.avoid?.nodes.has(name) !== true);
      const place = placeAmong(seen.request, nodes, seen.cluster, seen.settings);
      const replaces = giving(seen, from.replicas);
      const because = `${word} ${from.name} has ${from.replicas.length} replicas, ${to.name} ${to.replicas.length}`;
      if (isPlace(place) && replaces !== undefined) return { place, replaces, because };
    }
  return undefined;
}

/** Groups with the fewest replicas of the volume come first. */
function groupsOf({ cluster, request }: BalanceSeen, groupOf: (node: NodeFacts) => string): readonly Group[] {
  const nodesBy = Map.groupBy(cluster.nodes.values(), groupOf);
  return [...nodesBy]
    .map(([name, nodes]) => {
      const names = new Set(nodes.map((node) => node.name));
      return {
        name,
        nodes,
        zone: nodes[0]?.zone ?? '',
        replicas: request.replicas.filter(({ node }) => names.has(node)),
      };
    })
    .sort((a, b) => a.replicas.length - b.replicas.length || (a.name < b.name ? -1 : 1));
}

/**
 * Each move must achieve something that no later move undoes, otherwise replicas move for ever: a node never takes a replica from
 * another zone that has no more than its own zone, because zone balance would move it back.
 */
function gains(seen: BalanceSeen, word: 'zone' | 'node', from: Group, to: Group): boolean {
  if (from.replicas.length < 2) return false;
  if (seen.mode !== 'best-effort') return to.replicas.length === 0;
  if (from.replicas.length - to.replicas.length < 2) return false;
  return word === 'zone' || from.zone === to.zone || inZone(seen, from.zone) > inZone(seen, to.zone);
}

const inZone = ({ request, cluster }: BalanceSeen, zone: string): number =>
  request.replicas.filter(({ node }) => cluster.nodes.get(node)?.zone === zone).length;

function giving({ cluster, keepNode }: BalanceSeen, healthy: readonly PlacedReplica[]): string | undefined {
  const kept = keepNode === undefined ? {} : { keepNode };
  return surplusReplica({ numberOfReplicas: 1, healthy, leaving: new Set(), cluster, ...kept });
}

/**
 * Moves to another disk of the same node. The anti-affinity of nodes does not matter here, because the replaced replica is on
 * that node too; the anti-affinity of disks applies.
 */
function offFullDisk(seen: BalanceSeen): BalanceMove | undefined {
  const { request, cluster, settings, diskPressurePercentage: percentage } = seen;
  const sorted = [...request.replicas].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const replica of sorted) {
    const node = cluster.nodes.get(replica.node);
    const full = diskOf(cluster, replica.node, replica.diskID);
    if (node === undefined || full === undefined || !underPressure(full, 0n, percentage)) continue;
    const taken = new Set(
      request.policies.disk === 'hard' ? request.replicas.map(({ diskID }) => diskID) : [full.diskID],
    );
    const disks = node.disks.filter(
      (disk) =>
        !taken.has(disk.diskID) &&
        seen.avoid?.disks.has(disk.diskID) !== true &&
        !underPressure(disk, request.volume.actualBytes, percentage),
    );
    const alone = { ...request, replicas: [], leaving: new Set<string>() };
    const place = placeAmong(alone, [{ ...node, disks }], cluster, settings);
    if (isPlace(place)) {
      const used = diskPressure(full);
      const because = `disk ${full.name} of ${node.name} is ${used} % full`;
      return { place, replaces: replica.name, because, fromFullDisk: true };
    }
  }
  return undefined;
}
