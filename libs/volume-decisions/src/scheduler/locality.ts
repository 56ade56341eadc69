import type { DataLocality } from '@lateen/storage-types';
import type { BalanceMove } from './balance.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { isPlace, placeReplica } from './place-replica.ts';
import type { PlacedReplica, PlaceRequest, SchedulerSettings } from './place-request.ts';
import { type Refused, schedulingFailure } from './refusal.ts';
import { surplusReplica } from './surplus-replica.ts';

/** What data locality requires for a replica without a place; `afterAttachment`: it gets no place before the volume has a node. */
export type Affinity = Pick<PlaceRequest, 'preferNode' | 'hardNode'> | 'afterAttachment';

/** `node`: where the volume is attached or will be; "" for nowhere. */
export function affinityOf(locality: DataLocality, node: string, replicas: readonly PlacedReplica[]): Affinity {
  if (locality === 'disabled') return {};
  if (node === '') return 'afterAttachment';
  if (locality === 'strict-local') return { hardNode: node };
  return isLocal(node, replicas) ? {} : { preferNode: node };
}

export interface LocalitySeen {
  readonly locality: DataLocality;
  /** Where the volume is attached; "" for nowhere. */
  readonly node: string;
  readonly numberOfReplicas: number;
  /** All replicas that have a place; failed ones count while they may return. */
  readonly replicas: readonly PlacedReplica[];
}

/**
 * Whether a volume with best-effort locality needs one more replica, on its own node and only there. Not before it has all replicas that it should
 * have; when the local replica is healthy the volume has one too many, and `surplusReplica` selects one on another node.
 */
export function wantsLocalReplica({ locality, node, numberOfReplicas, replicas }: LocalitySeen): boolean {
  if (locality !== 'best-effort' || node === '') return false;
  const healthy = replicas.filter(({ failed }) => !failed);
  return healthy.length === numberOfReplicas && !isLocal(node, replicas);
}

const isLocal = (node: string, replicas: readonly PlacedReplica[]): boolean =>
  replicas.some((replica) => replica.node === node && (!replica.failed || replica.mayReturn));

export interface LocalReplicaSeen extends Omit<LocalitySeen, 'replicas'> {
  readonly request: Omit<PlaceRequest, 'preferNode' | 'hardNode'>;
  readonly cluster: ClusterFacts;
  readonly settings: SchedulerSettings;
}

/** The move; or, when the node of the volume takes no replica, the reason: as text for a condition, and by node and disk. */
export type LocalReplica =
  | { readonly move: BalanceMove }
  | { readonly refused: ReturnType<typeof schedulingFailure>; readonly because: readonly Refused[] };

/**
 * The move that gives a volume with best-effort locality a replica on its own node, in place of the replica that it can best do without. Undefined
 * when it needs none. Hard anti-affinity applies as for every replica, also against the replica that will be removed.
 */
export function decideLocalReplica(seen: LocalReplicaSeen): LocalReplica | undefined {
  const { node, numberOfReplicas, cluster, settings } = seen;
  const { replicas, leaving } = seen.request;
  // Replicas that are leaving are replaced first: the replacement may be the local one.
  if (leaving.size > 0 || !wantsLocalReplica({ ...seen, replicas })) return undefined;
  const request = { ...seen.request, hardNode: node };
  const place = placeReplica(request, cluster, settings);
  if (!isPlace(place)) return { refused: schedulingFailure(request, place.refused), because: place.because };
  const local: PlacedReplica = { name: '', node, diskID: place.diskID, failed: false, mayReturn: false };
  const healthy = [...replicas.filter(({ failed }) => !failed), local];
  const replaces = surplusReplica({ numberOfReplicas, healthy, leaving, cluster, keepNode: node });
  if (replaces === undefined) return undefined;
  return { move: { place, replaces, because: `the volume is attached to ${node}, which has no replica of it` } };
}
