import type { ReplicaAutoBalance } from '@lateen/storage-types';
import { type ClusterFacts, diskOf, type NodeFacts } from './cluster-facts.ts';
import { diskPressure, underPressure } from './disk-pressure.ts';
import { isPlace, placeAmong } from './place-replica.ts';
import type { Place, PlacedReplica, PlaceRequest, SchedulerSettings } from './place-request.ts';
import { surplusReplica } from './surplus-replica.ts';

export type AutoBalance = Exclude<ReplicaAutoBalance, 'ignored'>;

/** "ignored" and "" of a volume take the setting replica-auto-balance. */
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
  /** The node whose replica data locality wants to keep. */
  readonly keepNode?: string;
}

/** One replica more at `place`; when that is healthy `replaces` goes. */
export interface BalanceMove {
  readonly place: Place;
  readonly replaces: string;
  readonly because: string;
}

/**
 * One move that spreads the replicas of a healthy volume better, or none. `least-effort` goes where none is, while two share a zone or
 * node; `best-effort` goes on until no zone and no node has two more than another that could take one, and leaves disks that are
 * nearly full. A volume that lacks a replica or has one too many is left alone: its repair comes first.
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

/** From the group with most replicas to the one with fewest that has a place, as far as the mode cares. */
function spread(
  seen: BalanceSeen,
  word: 'zone' | 'node',
  groupOf: (node: NodeFacts) => string,
): BalanceMove | undefined {
  const groups = new Map<string, { nodes: NodeFacts[]; replicas: PlacedReplica[] }>();
  for (const node of seen.cluster.nodes.values()) {
    const group = groups.get(groupOf(node)) ?? { nodes: [], replicas: [] };
    group.nodes.push(node);
    group.replicas.push(...seen.request.replicas.filter((replica) => replica.node === node.name));
    groups.set(groupOf(node), group);
  }
  const sorted = [...groups].sort(([a, x], [b, y]) => x.replicas.length - y.replicas.length || (a < b ? -1 : 1));
  const [fullest, most] = sorted.at(-1) ?? ['', { replicas: [] }];
  for (const [name, { nodes, replicas }] of sorted) {
    const gains = seen.mode === 'best-effort' ? most.replicas.length - replicas.length >= 2 : replicas.length === 0;
    if (!gains || most.replicas.length < 2) return undefined;
    const place = placeAmong(seen.request, nodes, seen.cluster, seen.settings);
    const replaces = giving(seen, most.replicas);
    if (isPlace(place) && replaces !== undefined)
      return {
        place,
        replaces,
        because: `${word} ${fullest} has ${most.replicas.length} replicas, ${name} ${replicas.length}`,
      };
  }
  return undefined;
}

function giving({ cluster, keepNode }: BalanceSeen, healthy: readonly PlacedReplica[]): string | undefined {
  const kept = keepNode === undefined ? {} : { keepNode };
  return surplusReplica({ numberOfReplicas: 1, healthy, leaving: new Set(), cluster, ...kept });
}

/** To another disk of the same node, whatever anti-affinity says of nodes: the one it leaves is on it too. */
function offFullDisk(seen: BalanceSeen): BalanceMove | undefined {
  const { request, cluster, settings, diskPressurePercentage: percentage } = seen;
  const sorted = [...request.replicas].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const replica of sorted) {
    const node = cluster.nodes.get(replica.node);
    const full = diskOf(cluster, replica.node, replica.diskID);
    if (node === undefined || full === undefined || !underPressure(full, 0n, percentage)) continue;
    const disks = node.disks.filter(
      (disk) => disk.diskID !== full.diskID && !underPressure(disk, request.volume.actualBytes, percentage),
    );
    const alone = { ...request, replicas: [], leaving: new Set<string>() };
    const place = placeAmong(alone, [{ ...node, disks }], cluster, settings);
    if (isPlace(place)) {
      const used = diskPressure(full);
      return { place, replaces: replica.name, because: `disk ${full.name} of ${node.name} is ${used} % full` };
    }
  }
  return undefined;
}
