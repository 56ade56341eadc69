import type { Int64, Integer, KubeObject } from '@lateen/api-types';
import type { Condition } from '../meta/condition.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int32 } from '../meta/scalars.ts';

/** The shards of a v2 volume with erasure coding. The volume manager lists these and acts on none. */
export interface ShardGroup extends KubeObject {
  spec: ShardGroupSpec;
  status?: ShardGroupStatus;
}

/** How a group is laid out. */
export interface ShardGroupSpec {
  /** Name of the Volume. */
  volumeName?: string;
  /** Node that serves the group. */
  nodeID?: string;
  /**
   * Number of shards with data.
   * @minimum 1
   */
  dataChunks?: Integer;
  /**
   * Number of shards with parity.
   * @minimum 1
   */
  parityChunks?: Integer;
  /**
   * Size of a strip in KiB.
   * @minimum 4
   * @maximum 1024
   */
  stripSizeKB?: Integer;
  /**
   * Bytes that the group was made with.
   * @immutableOnceSet CreationSize is immutable once set
   */
  creationSize?: Int64;
}

/** How a group is. */
export interface ShardGroupStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Name of the InstanceManager that serves the group. */
  instanceManagerName?: string;
  /** How safe the data is. */
  state?: 'healthy' | 'degraded' | 'offline' | 'rebuilding' | 'growing' | '';
  /** State of the process. */
  processState?: string;
  /** What holds for the group. */
  conditions?: Condition[] | null;
  /** Names of the Shards. */
  shardRefs?: string[] | null;
  /** Address of each shard, by name. */
  ecShardAddressMap?: Record<string, string> | null;
  /** Number of shards that have failed. */
  failedCount?: Integer;
  /** Places whose shards are moving away. */
  evictingSlots?: Integer[] | null;
  /** Places whose shards are deleted on purpose. */
  intentionalDeleteSlots?: Integer[] | null;
  /** Whether the group is growing. */
  growInProgress?: boolean;
  /** Whether a shard is being rebuilt. */
  rebuildInProgress?: boolean;
  /** Whether the shards are being compared. */
  scrubInProgress?: boolean;
  /** Number of regions whose parity may be old. */
  wibDirtyRegion?: Integer;
  /** Identity of the store of logical volumes. */
  lvstoreUUID?: string;
  /** Identity of the head's logical volume. */
  headLvolUUID?: string;
  /** Qualified name of the NVMe subsystem. */
  nqn?: string;
  /** Address of the process for data. */
  storageIP?: string;
  /** Port of the process. */
  port?: Int32;
}

export const shardGroupType = longhornType<ShardGroup>('ShardGroup', 'shardgroups');
