import type { Engine, Replica } from '@lateen/storage-types';
import { everHealthy, isFailed } from '@lateen/volume-decisions';

export interface DrainSeen {
  readonly node: string;
  readonly cordoned: boolean;
  /** Setting `node-drain-policy`. */
  readonly policy: string;
  /** The engines of the node. */
  readonly engines: readonly Engine[];
  /** All replicas of the cluster. */
  readonly replicas: readonly Replica[];
  /** Other nodes whose instance manager is protected from eviction. */
  readonly protectedNodes: ReadonlySet<string>;
}

/** `protect`: a drain must not evict the instance manager of the node, for the reason `why`. */
export interface DrainVerdict {
  readonly protect: boolean;
  readonly why: string;
}

/** Whether the instance manager of a node may be evicted (longhorn.md section 11). Only possible on a cordoned node. */
export function drainVerdict(seen: DrainSeen): DrainVerdict {
  const { node, cordoned, policy } = seen;
  if (!cordoned) return { protect: true, why: `node ${node} is not cordoned` };
  const attached = seen.engines.find(isInUse);
  if (attached !== undefined)
    return { protect: true, why: `volume ${attached.spec.volumeName ?? ''} is attached to node ${node}` };
  if (policy === 'always-allow') return { protect: false, why: 'node-drain-policy always-allow' };
  const here = seen.replicas.filter(({ spec }) => spec.nodeID === node);
  if (policy === 'block-for-eviction')
    return here.length === 0
      ? { protect: false, why: `no replica is left on node ${node}` }
      : { protect: true, why: `${here.length} replicas are left on node ${node}: ${namesOf(here)}` };
  const counted = policy === 'allow-if-replica-is-stopped' ? here.filter(isInUse) : here;
  const last = counted.filter((replica) => everHealthy(replica) && !isSafeElsewhere(replica, seen));
  return last.length === 0
    ? { protect: false, why: `each volume with a replica on node ${node} has a healthy one elsewhere` }
    : { protect: true, why: `node ${node} has the last healthy replica of volumes: ${namesOf(last)}` };
}

/** An instance that is not known to have stopped counts as running. */
const isInUse = ({ spec, status }: Engine | Replica): boolean =>
  spec.desireState === 'running' || !['', 'stopped', 'error'].includes(status?.currentState ?? '');

/** There is a healthy replica on a node that is not being drained as well. */
const isSafeElsewhere = ({ spec }: Replica, { node, replicas, protectedNodes }: DrainSeen): boolean =>
  replicas.some((other) => {
    const { volumeName, nodeID = '', healthyAt = '' } = other.spec;
    if (volumeName !== spec.volumeName || nodeID === node || !protectedNodes.has(nodeID)) return false;
    return healthyAt !== '' && !isFailed(other);
  });

/** A few names are enough for people. */
function namesOf(replicas: readonly Replica[]): string {
  const names = replicas.map(({ metadata, spec }) => `${spec.volumeName ?? ''} (${metadata.name ?? ''})`).sort();
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
}
