import type { Lease } from '@lateen/api-types';
import { type LeaseObservation, leaseState } from '@lateen/kube-runtime';
import type { Availability } from './decide-owner.ts';

/** Each manager renews its Lease at this interval, and counts as gone when it has not for the duration. */
export const managerLease = { renewMs: 5_000, durationMs: 30_000 } as const;

/** Name of the Lease of a node's manager; its holder is the node. */
export const managerLeaseName = (node: string): string => `volume-manager-${node}`;

/**
 * Whether the manager of a node is available: it has renewed its Lease in time, by the clock of the observing manager (`observeLease`), because
 * clocks of nodes differ. A manager that has released its Lease, or whose Lease is being deleted, is gone at once; a newly found Lease counts as
 * fresh. `synced` is false until all Leases have been read.
 */
export function managerAvailability(
  seen: { readonly lease: Lease; readonly observed: LeaseObservation } | undefined,
  synced: boolean,
  nowMs: number,
): Availability {
  if (!synced) return 'unknown';
  if (seen === undefined || seen.lease.metadata.deletionTimestamp !== undefined) return 'no';
  return leaseState(seen.lease, seen.observed, '', nowMs).kind === 'held' ? 'yes' : 'no';
}
