import { replicaError } from '../replica-error.ts';
import type { ReplicaRecord } from './replica-record.ts';

/**
 * The record of a replica whose head is about to be served for this generation.
 * @throws AppError `GENERATION_OVER` when another one has been promised; `REPLICA_LAGS` when it lacks writes that this engine has acknowledged
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

/** The head of a replica that is being rebuilt is not compared with others: lost writes come back only with a new head. */
export function needsWholeHead(record: ReplicaRecord): void {
  if (record.state === 'rebuilding' && record.killedIn > 0) throw lagging(record);
}

/** The record of a closed replica: no process serves it, and all its data is on disk. */
export const closedRecord = (record: ReplicaRecord): ReplicaRecord =>
  record.servedIn === 0 ? record : { ...record, servedIn: 0 };

/** The record of a killed replica: no file is open, and unflushed writes were lost with its daemon. */
export const killedRecord = (record: ReplicaRecord): ReplicaRecord =>
  record.servedIn === 0 ? record : { ...record, servedIn: 0, killedIn: record.servedIn };

/** All replicas of this generation are equal. This does not cover writes that a kill in the same generation has lost. */
export const comparedRecord = (record: ReplicaRecord, generation: number): ReplicaRecord =>
  record.killedIn === 0 || record.killedIn >= generation || record.generation !== generation
    ? record
    : { ...record, killedIn: 0 };

const lagging = ({ replica, killedIn }: ReplicaRecord) =>
  replicaError('REPLICA_LAGS', `the storage daemon of ${replica} ended while it served generation ${killedIn}`, {
    nextStep: 'Record it as failed: it is rebuilt from the others. If no other has the data, attach the volume again.',
  });
