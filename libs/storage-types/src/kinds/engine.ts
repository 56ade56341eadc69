import type { Integer, KubeObject } from '@lateen/api-types';
import type { InstanceSpec } from '../instance/instance-spec.ts';
import type { Frontend } from '../meta/frontend.ts';
import { longhornType } from '../meta/longhorn-type.ts';
import type { Int64Text } from '../meta/scalars.ts';
import type { EngineStatus } from './engine-status.ts';

/**
 * The process that serves the device of a volume and writes each change to all replicas. The volume manager creates and changes it; users
 * change the Volume.
 */
export interface Engine extends KubeObject {
  spec: EngineSpec;
  status?: EngineStatus;
}

/** How the engine has to run. The volume manager sets it from the Volume. */
export interface EngineSpec extends InstanceSpec {
  /** `true`: this engine serves the volume. `false`: it only exists during a change to another engine. */
  active?: boolean;
  /** How the volume is offered to its node. `blockdev`: as a block device. Empty: not at all. Lateen refuses the other values. */
  frontend?: Frontend;
  /** `true`: the engine runs without a device, for example for a restore or a revert. Default: `false`. */
  disableFrontend?: boolean;
  /** Address of each replica that has all acknowledged writes of the volume. Key: name of the Replica. */
  replicaAddressMap?: Record<string, string>;
  /** Addresses of the replicas of another engine image, during an upgrade. No effect in Lateen. */
  upgradedReplicaAddressMap?: Record<string, string>;
  /** Name of the volume in the backup target that is restored into this one. Empty: none. */
  backupVolume?: string;
  /** Name of the backup that has to be restored into the volume. Empty: none. */
  requestedBackupRestore?: string;
  /**
   * Volume or snapshot that has to be copied into the volume, as `vol://VOLUME` or `snap://VOLUME/SNAPSHOT`. Empty: none, or the copy is
   * complete.
   */
  requestedDataSource?: string;
  /** `true`: replicas do not count writes. No effect in Lateen, which finds the replica with all writes in another way. */
  revisionCounterDisabled?: boolean;
  /** Number of snapshots that the volume may have. */
  snapshotMaxCount?: Integer;
  /** Size that all snapshots of the volume together may have: decimal number of bytes, as text. `0`: no limit. */
  snapshotMaxSize?: Int64Text;
  /** Whether a trim also frees blocks of snapshots that are marked as removed. No effect in Lateen. */
  unmapMarkSnapChainRemovedEnabled?: boolean;
  /**
   * Number of snapshot files that a rebuild copies in parallel. 0: the setting replica-rebuild-concurrent-sync-limit.
   * @minimum 0
   * @maximum 5
   */
  rebuildConcurrentSyncLimit?: Integer;
  /** Number of requests in one queue of the frontend ublk. No effect in Lateen. */
  ublkQueueDepth?: Integer;
  /** Number of queues of the frontend ublk. No effect in Lateen. */
  ublkNumberOfQueue?: Integer;
}

export const engineType = longhornType<Engine>('Engine', 'engines');
