import type { Replica } from '@lateen/storage-types';
import { byName, everHealthy, isFailed } from '../volume/replica-facts.ts';

const leaving: Readonly<Record<string, 'all' | 'last' | undefined>> = {
  'block-for-eviction': 'all',
  'block-for-eviction-if-contains-last-replica': 'last',
};

/** Which replicas leave a cordoned node with this value of the setting `node-drain-policy`; undefined: none. */
export const leavingBy = (drainPolicy: string): 'all' | 'last' | undefined =>
  Object.hasOwn(leaving, drainPolicy) ? leaving[drainPolicy] : undefined;

/**
 * Replicas that leave a node because it is cordoned and the drain policy says so: all of them, or those whose volume has no healthy replica
 * on another node. A replica that never had data is never the last one.
 */
export function replicasToEvict(
  node: string,
  cordoned: boolean,
  drainPolicy: string,
  replicas: readonly Replica[],
): readonly Replica[] {
  const which = leavingBy(drainPolicy);
  if (!cordoned || which === undefined) return [];
  const here = replicas.filter(({ spec }) => spec.nodeID === node).sort(byName);
  if (which === 'all') return here;
  const safeElsewhere = new Set(replicas.filter((each) => isSafeOn(each, node)).map(({ spec }) => spec.volumeName));
  return here.filter((replica) => everHealthy(replica) && !safeElsewhere.has(replica.spec.volumeName));
}

const isSafeOn = (replica: Replica, notOn: string): boolean => {
  const { nodeID = '', healthyAt = '' } = replica.spec;
  return nodeID !== '' && nodeID !== notOn && healthyAt !== '' && !isFailed(replica);
};
