import { replicaError } from '../replica-error.ts';
import type { ReplicaRecord } from './replica-record.ts';

/**
 * The record of a replica whose head is about to be served for this generation.
 * @throws AppError `GENERATION_OVER` when another one has been promised; `REPLICA_LAGS` when it lacks answers that this engine has given
 */
export function servedRecord(record: ReplicaRecord, generation: number): ReplicaRecord {
  if (record.generation !== generation) {
    throw replicaError('GENERATION_OVER', `${record.replica} has promised ${record.generation} of ${record.engine}`, {
      nextStep: 'Nothing to do: the volume is served by the newer engine.',
    });
  }
  if (record.killedIn === generation) throw lagging(record);
  needsWholeHead(record);
  return record.servedIn === generation ? record : { ...record, servedIn: generation };
}

/** Of one that is being rebuilt, nobody compares the head with others: what it has lost comes back only by another head. */
export function needsWholeHead(record: ReplicaRecord): void {
  if (record.state === 'rebuilding' && record.killedIn > 0) throw lagging(record);
}

/** Nothing serves it any more and all of it is on disk. */
export const closedRecord = (record: ReplicaRecord): ReplicaRecord =>
  record.servedIn === 0 ? record : { ...record, servedIn: 0 };

/** Nothing of it is open, whoever has served it: what was not flushed has ended with its daemon. */
export const killedRecord = (record: ReplicaRecord): ReplicaRecord =>
  record.servedIn === 0 ? record : { ...record, servedIn: 0, killedIn: record.servedIn };

/** All replicas of this generation read the same. That says nothing of what a kill in this very generation has taken. */
export const comparedRecord = (record: ReplicaRecord, generation: number): ReplicaRecord =>
  record.killedIn === 0 || record.killedIn >= generation || record.generation !== generation
    ? record
    : { ...record, killedIn: 0 };

const lagging = ({ replica, killedIn }: ReplicaRecord) =>
  replicaError('REPLICA_LAGS', `the storage daemon of ${replica} ended while it served generation ${killedIn}`, {
    nextStep: 'Record it as failed: it is rebuilt from the others. If no other has the data, attach the volume again.',
  });
