import type { Integer, KubeObject } from '@lateen/api-types';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int32, Int64Text, TimeText } from '../meta/scalars.ts';

/** One part of a v2 volume with erasure coding. Lateen ignores objects of this kind; it exists so that clients of Longhorn can list it. */
export interface Shard extends KubeObject {
  spec: ShardSpec;
  status?: ShardStatus;
}

/** Where the shard is stored. */
export interface ShardSpec {
  /** Name of the ShardGroup that the shard belongs to. */
  shardGroupName?: string;
  /**
   * Position of the shard in its group, starting at 0.
   * @minimum 0
   */
  slotIndex?: Integer;
  /** Size of the shard: decimal number of bytes, as text. */
  size?: Int64Text;
  /** Name of the node that has the disk. */
  nodeID?: string;
  /** Identity of the disk that stores the shard. */
  diskUUID?: string;
  /** Path of the disk on its node. */
  diskPath?: string;
  /** `true`: the shard leaves its disk when another disk has its data. */
  evictionRequested?: boolean;
}

/** State of the shard. */
export interface ShardStatus {
  /** Name of the node whose volume manager processes this object. */
  ownerID?: string;
  /** `normal`: it can be used. `failed`: it cannot. `replacing`: another shard takes its place. Empty: not known. */
  state?: 'normal' | 'failed' | 'replacing' | '';
  /** What the shard stores: `data` or `parity`. Empty: not known. */
  role?: 'data' | 'parity' | '';
  /** IP address that the process of the shard uses for data. */
  storageIP?: string;
  /** Port that the process of the shard listens on. */
  port?: Int32;
  /** Progress of the rebuild in percent, 0 to 100. */
  rebuildProgress?: Integer;
  /** `true`: another shard is being created in its place. */
  replaceTriggered?: boolean;
  /** When the shard last failed. Empty: never. */
  lastFailureTimestamp?: TimeText;
}

export const shardType = longhornType<Shard>('Shard', 'shards');
