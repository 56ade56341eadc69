import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int32 } from '../meta/scalars.ts';

/**
 * All shards of a v2 volume with erasure coding. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list it.
 */
export interface ShardGroup extends KubeObject {
  spec: ShardGroupSpec;
  status?: ShardGroupStatus;
}

/** Which volume the group stores, and how data is distributed over its shards. */
export interface ShardGroupSpec {
  /** Name of the Volume whose data the group has. */
  volumeName?: string;
  /** Name of the node that serves the group. */
  nodeID?: string;
  /**
   * Number of shards with data.
   * @minimum 1
   */
  dataChunks?: Integer;
  /**
   * Number of shards with parity: so many shards can fail without loss of data.
   * @minimum 1
   */
  parityChunks?: Integer;
  /**
   * Size of a strip in KiB, 4 to 1024.
   * @minimum 4
   * @maximum 1024
   */
  stripSizeKB?: Integer;
  /**
   * Size of the group when it was created, in bytes. Cannot be changed once it is set.
   * @immutableOnceSet CreationSize is immutable once set
   */
  creationSize?: Int64;
}

/** State of the group of shards. */
export interface ShardGroupStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** Name of the InstanceManager that serves the group. */
  instanceManagerName?: string;
  /**
   * `healthy`: all shards work. `degraded`: some have failed. `offline`: too many have failed. `rebuilding`, `growing`: a shard is rebuilt,
   * or the group is expanded. Empty: not known.
   */
  state?: 'healthy' | 'degraded' | 'offline' | 'rebuilding' | 'growing' | '';
  /** State of the process that serves the group. */
  processState?: string;
  /** Conditions of the group: what does not work, and why. */
  conditions?: Condition[] | null;
  /** Names of the Shards of the group. */
  shardRefs?: string[] | null;
  /** Address of each shard. Key: name of the Shard. */
  ecShardAddressMap?: Record<string, string> | null;
  /** Number of shards that have failed. */
  failedCount?: Integer;
  /** Positions of shards that leave their disk. */
  evictingSlots?: Integer[] | null;
  /** Positions of shards that a user deletes. */
  intentionalDeleteSlots?: Integer[] | null;
  /** `true`: the group is being expanded. */
  growInProgress?: boolean;
  /** `true`: a shard is being rebuilt. */
  rebuildInProgress?: boolean;
  /** `true`: data and parity of the shards are being compared. */
  scrubInProgress?: boolean;
  /** Number of regions whose parity may be outdated, because a write was interrupted. */
  wibDirtyRegion?: Integer;
  /** Identity of the SPDK store of logical volumes. */
  lvstoreUUID?: string;
  /** Identity of the logical volume with the current data. */
  headLvolUUID?: string;
  /** Qualified name (NQN) of the NVMe subsystem. */
  nqn?: string;
  /** IP address that the process uses for data. */
  storageIP?: string;
  /** Port that the process listens on. */
  port?: Int32;
}

export const shardGroupType = longhornType<ShardGroup>('ShardGroup', 'shardgroups');
