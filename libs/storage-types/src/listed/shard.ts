import type { Integer, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int32, Int64Text, TimeText } from '../meta/scalars.ts';

/** One part of a v2 volume with erasure coding. The volume manager lists these and acts on none. */
export interface Shard extends KubeObject {
  spec: ShardSpec;
  status?: ShardStatus;
}

/** Where a shard lies. */
export interface ShardSpec {
  /** Name of the ShardGroup. */
  shardGroupName?: string;
  /**
   * Place of the shard in its group.
   * @minimum 0
   */
  slotIndex?: Integer;
  /** Bytes of the shard. */
  size?: Int64Text;
  /** Node of the disk. */
  nodeID?: string;
  /** Identity of the disk. */
  diskUUID?: string;
  /** Path of the disk. */
  diskPath?: string;
  /** Whether the shard is to move away. */
  evictionRequested?: boolean;
}

/** Whether a shard can be used. */
export interface ShardStatus {
  /** Node whose manager looks after the object. */
  ownerID?: string;
  /** Whether the shard can be used. */
  state?: 'normal' | 'failed' | 'replacing' | '';
  /** Whether it holds data or parity. */
  role?: 'data' | 'parity' | '';
  /** Address of its process for data. */
  storageIP?: string;
  /** Port of its process. */
  port?: Int32;
  /** Percent rebuilt. */
  rebuildProgress?: Integer;
  /** Whether another one is being made in its place. */
  replaceTriggered?: boolean;
  /** When it last failed. */
  lastFailureTimestamp?: TimeText;
}

export const shardType = longhornType<Shard>('Shard', 'shards');
