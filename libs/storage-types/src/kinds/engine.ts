import type { Integer, KubeObject } from '@lateen/api-types';
import type { InstanceSpec } from '../instance/instance-spec.ts';
import type { Frontend } from '../meta/frontend.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int64Text } from '../meta/scalars.ts';
import type { EngineStatus } from './engine-status.ts';

/** The process that copies each write of a volume to all of its replicas. */
export interface Engine extends KubeObject {
  spec: EngineSpec;
  status?: EngineStatus;
}

/** How an engine is to run. */
export interface EngineSpec extends InstanceSpec {
  /** Whether this engine is the one that serves the volume. */
  active?: boolean;
  /** How the volume is offered to the node. */
  frontend?: Frontend;
  /** Whether to run without offering a device. */
  disableFrontend?: boolean;
  /** Address of each replica that belongs to the volume, by the name of the Replica. */
  replicaAddressMap?: Record<string, string>;
  /** The same for the engine that takes over. */
  upgradedReplicaAddressMap?: Record<string, string>;
  /** Name of the backed-up volume that is restored from. */
  backupVolume?: string;
  /** Name of the backup that is to be restored. */
  requestedBackupRestore?: string;
  /** Where the first content is to be copied from. */
  requestedDataSource?: string;
  /** Whether replicas keep no count of their writes. */
  revisionCounterDisabled?: boolean;
  /** Number of snapshots that the volume may have. */
  snapshotMaxCount?: Integer;
  /** Bytes that all snapshots together may have; 0 for no bound. */
  snapshotMaxSize?: Int64Text;
  /** Whether a trim takes snapshots that are marked as removed with it. */
  unmapMarkSnapChainRemovedEnabled?: boolean;
  /**
   * Number of layers that a rebuild copies at once.
   * @minimum 0
   * @maximum 5
   */
  rebuildConcurrentSyncLimit?: Integer;
  /** Requests that a queue of the ublk device holds. */
  ublkQueueDepth?: Integer;
  /** Number of queues of the ublk device. */
  ublkNumberOfQueue?: Integer;
}

export const engineType = longhornType<Engine>('Engine', 'engines');
