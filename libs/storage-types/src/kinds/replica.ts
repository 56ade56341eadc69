import type { Integer, KubeObject } from '@lateen/api-types';
import type { InstanceSpec } from '../instance/instance-spec.ts';
import type { InstanceStatus } from '../instance/instance-status.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int64Text, TimeText } from '../meta/scalars.ts';

/** One copy of the data of a volume, in a directory on a disk of a node. The volume manager creates and changes it. */
export interface Replica extends KubeObject {
  spec: ReplicaSpec;
  status?: ReplicaStatus;
}

/** Where the replica is stored, and whether its data can be used. The volume manager sets it. */
export interface ReplicaSpec extends InstanceSpec {
  /** `true`: the replica belongs to the engine that serves the volume. `false`: it only exists during a change to another engine. */
  active?: boolean;
  /** Name of the Engine that uses the replica. */
  engineName?: string;
  /** Name of the Engine that uses the replica during a live migration. Empty in Lateen, which does not support live migration. */
  migrationEngineName?: string;
  /** Identity of the disk that has the replica: diskUUID in the status of its node. Empty: the replica has no place yet. */
  diskID?: string;
  /** Path of the disk on its node. */
  diskPath?: string;
  /** Name of the replica's directory in the directory `replicas` of the disk. */
  dataDirectoryName?: string;
  /** Name of the only node that may have this replica, for data locality. Empty: any node. */
  hardNodeAffinity?: string;
  /** Since when the replica has had all data of the volume. Empty: it does not have all data. */
  healthyAt?: TimeText;
  /** Since when the replica has been failed. Empty: it has not failed. */
  failedAt?: TimeText;
  /** When the replica last got all data. A failure does not clear it. */
  lastHealthyAt?: TimeText;
  /** When the replica last failed. A rebuild does not clear it. */
  lastFailedAt?: TimeText;
  /** Number of rebuilds of the replica that failed in a row. After 5 the replica is deleted. */
  rebuildRetryCount?: Integer;
  /** `true`: the replica leaves its disk. It is deleted when another replica has all data. */
  evictionRequested?: boolean;
  /** Name of the BackingImage below the volume. Empty in Lateen, which has no backing images. */
  backingImage?: string;
  /** Name of the Replica whose data a linked clone shares. Empty in Lateen, which refuses linked clones. */
  linkedCloneSrcReplicaName?: string;
  /** `true`: the replica does not count writes. No effect in Lateen, which finds the replica with all writes in another way. */
  revisionCounterDisabled?: boolean;
  /** Number of snapshots that the replica may have. */
  snapshotMaxCount?: Integer;
  /** Size that all snapshots of the replica together may have: decimal number of bytes, as text. `0`: no limit. */
  snapshotMaxSize?: Int64Text;
  /** Whether a trim also frees blocks of snapshots that are marked as removed. No effect in Lateen. */
  unmapMarkDiskChainRemovedEnabled?: boolean;
}

/** State of the process that serves the replica. */
export interface ReplicaStatus extends InstanceStatus {}

export const replicaType = longhornType<Replica>('Replica', 'replicas');
