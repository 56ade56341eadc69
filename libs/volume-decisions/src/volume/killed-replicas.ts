import type { Replica } from '@lateen/storage-types';
import type { EventWish } from '../decision/decision.ts';
import { killedInOf, replicaText } from './replica-facts.ts';

/**
 * Of replicas that had every acknowledged write, those that were not killed while in use; all of them when each was killed. A replica whose process
 * was killed may lack writes that were acknowledged and not flushed: if the others were made equal to it, they would lose these writes too.
 */
export function bestToRead(replicas: readonly Replica[]): readonly Replica[] {
  const sound = replicas.filter((replica) => killedInOf(replica) === undefined);
  return sound.length > 0 ? sound : replicas;
}

export const areAllKilled = (replicas: readonly Replica[]): boolean =>
  replicas.length > 0 && replicas.every((replica) => killedInOf(replica) !== undefined);

/** Flushed writes are on all of them; which one has the most of the others is unknown. */
export function allKilledEvent(replicas: readonly Replica[], readPrimary: string): EventWish {
  const killed = replicas.map((replica) => `${replicaText(replica)} in start ${killedInOf(replica)}`).join(', ');
  const message = `All replicas with the data were killed while they were in use: ${killed}; writes that were acknowledged and not flushed may be missing; ${readPrimary} is read from until all are equal`;
  return { type: 'Warning', reason: 'AllReplicasKilled', message };
}
