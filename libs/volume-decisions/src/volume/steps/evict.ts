import { diskOf } from '../../scheduler/cluster-facts.ts';
import { nameOf } from '../replica-facts.ts';
import { isLost, replacedReplicas } from '../volume-facts.ts';
import type { VolumeSeen } from '../volume-seen.ts';

/**
 * Names of the replicas that are to go somewhere else, because somebody asked for it, of the replica, its disk or its node, or because another one takes
 * their place. Nothing is moved off a node that is down: what is there is not to be read.
 */
export function leavingReplicas(seen: VolumeSeen): ReadonlySet<string> {
  const { cluster, replicas } = seen;
  const replaced = replacedReplicas(seen);
  const leaving = replicas.filter(({ spec, metadata }) => {
    const { nodeID = '', diskID = '' } = spec;
    if (nodeID === '' || isLost(seen, nodeID)) return false;
    const ofPlace = cluster.nodes.get(nodeID)?.evictionRequested || diskOf(cluster, nodeID, diskID)?.evictionRequested;
    return spec.evictionRequested === true || ofPlace === true || replaced.has(nameOf({ metadata }));
  });
  return new Set(leaving.map(nameOf));
}
