export { type FailureCause, type FailureKind, failureKinds, type ReplicaFailure } from './failure.ts';
export { Hold } from './hold.ts';
export { Lease } from './lease.ts';
export { type ReplicaSetLimits, replicaSetLimits } from './limits.ts';
export type { ReplicaSetMetrics } from './metrics.ts';
export { type LockedArea, OverlapLocks } from './overlap-locks.ts';
export type { ReplicaSetParts } from './parts.ts';
export type {
  Comparison,
  Mode,
  Refused,
  ReplicaSet,
  ReplicaSetChange,
  ReplicaSetOptions,
  ReplicaSetState,
  Resume,
} from './replica-set.ts';
export { startReplicaSet } from './start-replica-set.ts';
export { verdictOf } from './verdict.ts';
