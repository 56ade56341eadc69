import type { DataLocality } from '@lateen/storage-types';
import type { PlacedReplica, PlaceRequest } from './place-request.ts';

/** What data locality asks of a replica without a place; `afterAttachment`: it gets none before the volume has a node. */
export type Affinity = Pick<PlaceRequest, 'preferNode' | 'hardNode'> | 'afterAttachment';

/** `node`: where the volume is attached or is to be; "" for nowhere. */
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
 * Whether a volume with best-effort locality wants one replica more, on its own node and only there. Not before it has all it should have;
 * when that replica is healthy the volume has one too many, and `surplusReplica` names one elsewhere.
 */
export function wantsLocalReplica({ locality, node, numberOfReplicas, replicas }: LocalitySeen): boolean {
  if (locality !== 'best-effort' || node === '') return false;
  const healthy = replicas.filter(({ failed }) => !failed);
  return healthy.length === numberOfReplicas && !isLocal(node, replicas);
}

const isLocal = (node: string, replicas: readonly PlacedReplica[]): boolean =>
  replicas.some((replica) => replica.node === node && (!replica.failed || replica.mayReturn));
