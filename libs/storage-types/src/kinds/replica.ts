import type { Integer, KubeObject } from '@lateen/api-types';
import type { InstanceSpec } from '../instance/instance-spec.ts';
import type { InstanceStatus } from '../instance/instance-status.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int64Text, TimeText } from '../meta/scalars.ts';

/** One copy of a volume's data, on one disk of one node. */
export interface Replica extends KubeObject {
  spec: ReplicaSpec;
  status?: ReplicaStatus;
}

/** Where a copy lies and whether it can be used. */
export interface ReplicaSpec extends InstanceSpec {
  /** Whether the copy belongs to the engine that serves the volume. */
  active?: boolean;
  /** Name of the Engine that uses the copy. */
  engineName?: string;
  /** Name of the Engine that uses it during a live migration. */
  migrationEngineName?: string;
  /** Identity of the disk. */
  diskID?: string;
  /** Path of the disk on its node. */
  diskPath?: string;
  /** Name of the folder below the disk's folder of replicas. */
  dataDirectoryName?: string;
  /** Node that the copy must be on. */
  hardNodeAffinity?: string;
  /** Since when the copy has had all data; empty while it has not. */
  healthyAt?: TimeText;
  /** Since when the copy has not been usable; empty while it is. */
  failedAt?: TimeText;
  /** When it last got all data; not cleared by a failure. */
  lastHealthyAt?: TimeText;
  /** When it last failed; not cleared by a rebuild. */
  lastFailedAt?: TimeText;
  /** Number of rebuilds of the copy that failed one after the other. */
  rebuildRetryCount?: Integer;
  /** Whether the copy is to move somewhere else. */
  evictionRequested?: boolean;
  /** Name of the BackingImage below the volume. */
  backingImage?: string;
  /** Name of the Replica that a linked clone reads from. */
  linkedCloneSrcReplicaName?: string;
  /** Whether the copy keeps no count of its writes. */
  revisionCounterDisabled?: boolean;
  /** Number of snapshots that the copy may have. */
  snapshotMaxCount?: Integer;
  /** Bytes that all its snapshots together may have; 0 for no bound. */
  snapshotMaxSize?: Int64Text;
  /** Whether a trim takes snapshots that are marked as removed with it. */
  unmapMarkDiskChainRemovedEnabled?: boolean;
}

/** What is known of the process that serves a copy. */
export interface ReplicaStatus extends InstanceStatus {}

export const replicaType = longhornType<Replica>('Replica', 'replicas');
