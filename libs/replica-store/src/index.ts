export { parseRecord, recordText } from './record/record-codec.ts';
export {
  checkIdentity,
  checkSize,
  createRecord,
  type NewReplica,
  type ReplicaIdentity,
} from './record/record-create.ts';
export { type PurgePlan, type PurgeStep, type PurgeWait, planPurge } from './record/record-merge.ts';
export type { Promised } from './record/record-promise.ts';
export type { NewSnapshot } from './record/record-snapshot.ts';
export type {
  Layer,
  LayerSnapshot,
  LayerSum,
  Pending,
  ReplicaRecord,
  ReplicaState,
} from './record/replica-record.ts';
export { type ReplicaErrorCode, replicaError } from './replica-error.ts';
