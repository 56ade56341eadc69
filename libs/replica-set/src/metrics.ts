import type { FailureKind } from './failure.ts';

/** Counters of one volume. Called for each request, so an implementation only adds numbers. */
export interface ReplicaSetMetrics {
  /** A request was answered with success. A flush has no bytes. */
  answered?(request: 'read' | 'write' | 'flush', bytes: number): void;
  /** A replica has left the set. */
  failed?(replica: string, kind: FailureKind): void;
  /** Pending requests and their bytes, after each change. */
  pending?(requests: number, bytes: number): void;
  /** For so long nothing was acknowledged because a failure was not recorded. */
  held?(seconds: number): void;
}
