import { apiTime } from '@lateen/kube';
import { type Engine, type Replica, storageAnnotations } from '@lateen/storage-types';
import { byName, everHealthy, isFailed, modeOf, nameOf } from './replica-facts.ts';

/** A failure that the engine has recorded and that its Replica does not have yet. */
export interface UnfoldedFailure {
  readonly replica: string;
  /** For `spec.failedAt` and `spec.lastFailedAt`. */
  readonly failedAt: string;
  /** For the annotation `failure-cause`. */
  readonly cause: string;
}

/** What has to be written before anything of the volume is started. */
export interface Fold {
  readonly failures: readonly UnfoldedFailure[];
  /** Names to remove from `spec.replicaAddressMap` of the Engine, before the next start clears the modes. */
  readonly leave: readonly string[];
}

/**
 * Failures that only the modes of the Engine have: the recorder wrote them before it or its node died. Each of these replicas
 * lacks acknowledged writes, so nothing may start before the failures are written into the Replicas. Because the next start
 * clears the modes, the replicas also leave `spec.replicaAddressMap`: every replica in that map has all writes ({@link
 * wholeSet}).
 */
export function foldFailures(engine: Engine | undefined, replicas: readonly Replica[], nowMs: number): Fold {
  const failures = replicas
    .filter((replica) => modeOf(engine, nameOf(replica)) === 'ERR' && !isFailed(replica))
    .sort(byName)
    .map((replica) => ({
      replica: nameOf(replica),
      failedAt: engine?.status?.replicaTransitionTimeMap?.[nameOf(replica)] || apiTime(nowMs),
      cause: replica.metadata.annotations?.[storageAnnotations.failureCause] ?? 'the engine has recorded its failure',
    }));
  const leave = Object.keys(engine?.spec.replicaAddressMap ?? {}).filter((name) => modeOf(engine, name) === 'ERR');
  return { failures, leave: leave.sort() };
}

/**
 * Names of the replicas that have every acknowledged write: those that the engine was last started with or has added since,
 * without those that failed while it ran. Also valid after the engine has ended.
 */
export function wholeSet(engine: Engine | undefined): ReadonlySet<string> {
  const names = Object.keys(engine?.spec.replicaAddressMap ?? {});
  return new Set(names.filter((name) => !['ERR', 'WO'].includes(modeOf(engine, name) ?? '')));
}

/**
 * Every replica that had data has failed. A replica that was made to be rebuilt and has no data yet does not make the volume
 * usable; as long as no replica ever had data, replicas without data count.
 */
export function hasOnlyFailed(engine: Engine | undefined, replicas: readonly Replica[]): boolean {
  const whole = wholeSet(engine);
  const withData = replicas.filter((replica) => everHealthy(replica) || whole.has(nameOf(replica)));
  const counting = withData.length > 0 ? withData : replicas;
  return counting.length > 0 && counting.every(isFailed);
}
