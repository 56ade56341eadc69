import type { Lease } from '@lateen/api-types';
import { apiMicroTime } from '@lateen/kube';

/** What this process has seen of a lease, by its own clock: the holder's clock may be wrong. */
export interface LeaseObservation {
  /** Changes with every renewal. */
  readonly record: string;
  /** Monotonic time at which this record was first seen. */
  readonly sinceMs: number;
}

export type LeaseState = { kind: 'free' } | { kind: 'mine' } | { kind: 'held'; by: string; expiresInMs: number };

/** The observation after the lease was read once more. */
export function observe(lease: Lease, before: LeaseObservation | undefined, nowMs: number): LeaseObservation {
  const { holderIdentity, renewTime, leaseTransitions } = lease.spec ?? {};
  const record = JSON.stringify([lease.metadata.uid, holderIdentity, renewTime, leaseTransitions]);
  return before?.record === record ? before : { record, sinceMs: nowMs };
}

/** Whether the lease can be taken: it has no holder, is ours, or was not renewed for its whole duration while we watched. */
export function leaseState(lease: Lease, seen: LeaseObservation, identity: string, nowMs: number): LeaseState {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
  if (holderIdentity === '') return { kind: 'free' };
  if (holderIdentity === identity) return { kind: 'mine' };
  const expiresInMs = seen.sinceMs + leaseDurationSeconds * 1000 - nowMs;
  return expiresInMs <= 0 ? { kind: 'free' } : { kind: 'held', by: holderIdentity, expiresInMs };
}

/** The lease's spec once `identity` holds it from `epochMs` on. */
export function claimed(
  before: Lease['spec'],
  claim: { identity: string; leaseDurationMs: number; epochMs: number },
): NonNullable<Lease['spec']> {
  const time = apiMicroTime(claim.epochMs);
  const kept = before?.holderIdentity === claim.identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    ...before,
    holderIdentity: claim.identity,
    leaseDurationSeconds: Math.ceil(claim.leaseDurationMs / 1000),
    acquireTime: kept ? (before?.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: kept || before === undefined ? transitions : transitions + 1,
  };
}

/** The lease's spec after its holder has released it: the next candidate need not wait. */
export function released(before: Lease['spec'], epochMs: number): NonNullable<Lease['spec']> {
  const time = apiMicroTime(epochMs);
  return { ...before, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}
