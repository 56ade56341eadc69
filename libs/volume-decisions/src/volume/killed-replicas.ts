import type { Replica } from '@lateen/storage-types';
import type { EventWish } from '../decision/decision.ts';
import { killedInOf, replicaText } from './replica-facts.ts';

/**
 * Those that were not killed while they were in use, of replicas that had every acknowledged write; all of them when each was killed.
 * One whose process was killed may lack writes that were acknowledged and not flushed: taken as the one that is read from, it would take them
 * from the others too.
 */
export function bestToRead(replicas: readonly Replica[]): readonly Replica[] {
  const sound = replicas.filter((replica) => killedInOf(replica) === undefined);
  return sound.length > 0 ? sound : replicas;
}

export const areAllKilled = (replicas: readonly Replica[]): boolean =>
  replicas.length > 0 && replicas.every((replica) => killedInOf(replica) !== undefined);

/** What was flushed is on all of them; of the rest nobody knows who has most. */
export function allKilledEvent(replicas: readonly Replica[], readPrimary: string): EventWish {
  const killed = replicas.map((replica) => `${replicaText(replica)} in start ${killedInOf(replica)}`).join(', ');
  const message = `All replicas with the data were killed while they were in use: ${killed}; writes that were acknowledged and not flushed may be missing; ${readPrimary} is read from until all are equal`;
  return { type: 'Warning', reason: 'AllReplicasKilled', message };
}
