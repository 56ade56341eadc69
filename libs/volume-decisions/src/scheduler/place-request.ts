import type { AntiAffinityPolicies } from './anti-affinity.ts';
import type { RefusalReason, Refused } from './refusal.ts';

/** The facts of a volume that decide where its replicas go. */
export interface VolumeFacts {
  readonly name: string;
  readonly sizeBytes: bigint;
  /** `status.actualSize`: what a replica takes on a disk today. */
  readonly actualBytes: bigint;
  readonly image: string;
  readonly nodeSelector: readonly string[];
  readonly diskSelector: readonly string[];
}

/** A replica of the volume that has a place. */
export interface PlacedReplica {
  readonly name: string;
  readonly node: string;
  readonly diskID: string;
  /** `spec.failedAt` is set. */
  readonly failed: boolean;
  /**
   * Only for a failed replica: it could be reused (`couldReturn`) and no other replica replaces it. Otherwise its place is free.
   */
  readonly mayReturn: boolean;
}

export interface SchedulerSettings {
  /** storage-over-provisioning-percentage */
  readonly overProvisioningPercentage: number;
  /** storage-minimal-available-percentage */
  readonly minimalAvailablePercentage: number;
  /** disable-scheduling-on-cordoned-node */
  readonly disableSchedulingOnCordonedNode: boolean;
  /** allow-empty-node-selector-volume: volumes without a node selector may go to nodes that have tags. */
  readonly allowEmptyNodeSelector: boolean;
  /** allow-empty-disk-selector-volume */
  readonly allowEmptyDiskSelector: boolean;
}

export interface PlaceRequest {
  readonly volume: VolumeFacts;
  /** The replicas of the volume that have a place; the one to be placed is not among them. */
  readonly replicas: readonly PlacedReplica[];
  /** Names of replicas that are being evicted. */
  readonly leaving: ReadonlySet<string>;
  /** Best-effort data locality: this node if any place on it is suitable, else any node. */
  readonly preferNode?: string;
  /** Strict-local data locality, or the local replica of a best-effort volume: only this node. */
  readonly hardNode?: string;
  readonly policies: AntiAffinityPolicies;
}

export interface Place {
  readonly node: string;
  /** Name of the disk in the node's `spec.disks`, and what goes into the Replica. */
  readonly disk: string;
  readonly diskID: string;
  readonly diskPath: string;
}

/** `refused`: sorted, each reason once. `because`: why each node and disk was left out, in the order of their names. */
export type Placement = Place | { readonly refused: readonly RefusalReason[]; readonly because: readonly Refused[] };
