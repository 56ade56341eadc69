import type { FailureKind } from './failure.ts';

/** What is counted of one volume. Called for each request, so it only adds up. */
export interface ReplicaSetMetrics {
  /** A request was answered with success. A flush has no bytes. */
  answered?(request: 'read' | 'write' | 'flush', bytes: number): void;
  /** A replica has left the set. */
  failed?(replica: string, kind: FailureKind): void;
  /** Requests that have no answer, and their bytes, after each change. */
  pending?(requests: number, bytes: number): void;
  /** For so long nothing was acknowledged because a failure was not recorded. */
  held?(seconds: number): void;
}
