import type { Replica } from '@lateen/storage-types';
import { leavingBy, replicasToEvict } from '../../node/auto-evicting.ts';
import { diskOf } from '../../scheduler/cluster-facts.ts';
import { everHealthy, isFailed, nameOf } from '../replica-facts.ts';
import { isBeingDeleted, isLost, replacedReplicas, wantedReplicas } from '../volume-facts.ts';
import type { VolumeSeen } from '../volume-seen.ts';

export type LeavingSeen = Pick<VolumeSeen, 'volume' | 'engine' | 'replicas' | 'cluster' | 'downNodes' | 'settings'>;

/** Names of the replicas that have to move: those that are evicted, and those that another replica replaces. */
export const leavingReplicas = (seen: LeavingSeen): ReadonlySet<string> =>
  new Set([...namesOf(seen, replacedReplicas(seen)), ...evictedReplicas(seen)]);

/**
 * Names of the replicas that have to leave because a person requested it for the replica, its disk or its node, or because their node is being
 * drained.
 */
export function evictedReplicas(seen: LeavingSeen): ReadonlySet<string> {
  const { cluster, replicas } = seen;
  const drained = drainedReplicas(seen);
  const evicted = replicas.filter((replica) => {
    const { nodeID = '', diskID = '', evictionRequested } = replica.spec;
    const ofPlace = cluster.nodes.get(nodeID)?.evictionRequested || diskOf(cluster, nodeID, diskID)?.evictionRequested;
    return evictionRequested === true || ofPlace === true || drained.has(replica);
  });
  return namesOf(seen, new Set(evicted.map(nameOf)));
}

/** Nothing is moved off a node that is down: its replicas cannot be read. */
const namesOf = (seen: LeavingSeen, names: ReadonlySet<string>): ReadonlySet<string> =>
  new Set(
    seen.replicas
      .filter(({ spec }) => (spec.nodeID ?? '') !== '' && !isLost(seen, spec.nodeID ?? ''))
      .map(nameOf)
      .filter((name) => names.has(name)),
  );

/**
 * Replicas that leave because their node is cordoned, as far as the setting `node-drain-policy` requires. Where only the last healthy replicas leave,
 * such a replica is no longer the last one once another has been built, and is then the surplus one: otherwise the new one might be deleted instead,
 * and be built again, endlessly.
 */
function drainedReplicas({ volume, cluster, replicas, settings }: LeavingSeen): ReadonlySet<Replica> {
  const policy = settings.text('node-drain-policy');
  const which = leavingBy(policy);
  if (which === undefined) return new Set();
  const there = replicas.filter(({ spec }) => cluster.nodes.get(spec.nodeID ?? '')?.cordoned === true);
  const nodes = new Set(there.map(({ spec }) => spec.nodeID ?? ''));
  const drained = [...nodes].flatMap((node) => replicasToEvict(node, true, policy, replicas));
  const whole = replicas.filter(
    (replica) => (replica.spec.healthyAt ?? '') !== '' && !isFailed(replica) && !isBeingDeleted(replica),
  );
  return new Set(whole.length > wantedReplicas({ volume }) ? [...drained, ...there.filter(everHealthy)] : drained);
}
