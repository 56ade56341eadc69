import type { Int64, Integer } from '@lateen/api-types';
import type { DataEngine } from '../meta/data-engine.ts';
import type { Frontend } from '../meta/frontend.ts';
import type { Int64Text, TimeText } from '../meta/scalars.ts';
import type { SettingOverride } from '../meta/setting-override.ts';
import type { DataLayout } from './data-layout.ts';
import type {
  AccessMode,
  CloneMode,
  CompressionMethod,
  DataLocality,
  ReplicaAutoBalance,
  SnapshotDataIntegrity,
} from './volume-choices.ts';

/** What a volume is to be. */
export interface VolumeSpec {
  /** Size in bytes, a multiple of 2 MiB. Never smaller than before. */
  size?: Int64Text;
  /** How the volume is offered to the node it is attached to. */
  frontend?: Frontend;
  /** Whether to attach without offering a device. */
  disableFrontend?: boolean;
  /** Number of replicas to have. */
  numberOfReplicas?: Integer;
  /** Node the volume is to be attached to; empty for none. Written from the tickets of its VolumeAttachment. */
  nodeID?: string;
  /** Node the engine is to run on, where that is another one than the front end's. */
  engineNodeID?: string;
  /** Node a live migration moves the volume to. */
  migrationNodeID?: string;
  /** Who attached the volume last. */
  lastAttachedBy?: string;
  /** Image whose engine serves the volume. */
  image?: string;
  /** Version of the data path. */
  dataEngine?: DataEngine;
  /** URL of the backup that the first content comes from. */
  fromBackup?: string;
  /** Volume or snapshot that the first content is cloned from, as vol://volume or snap://volume/snapshot. */
  dataSource?: string;
  /** How the content is cloned. */
  cloneMode?: CloneMode;
  /** Whether one replica is kept on the node that the volume is attached to. */
  dataLocality?: DataLocality;
  /**
   * Layout of the data.
   * @immutable DataLayout is immutable
   */
  dataLayout?: DataLayout;
  /** Minutes after which a failed replica is deleted; 0 for never. */
  staleReplicaTimeout?: Integer;
  /** Tags that a node must have for a replica of the volume. */
  nodeSelector?: string[];
  /** Tags that a disk must have for a replica of the volume. */
  diskSelector?: string[];
  /** Whether one pod, pods of one node, or pods of several nodes may use the volume. */
  accessMode?: AccessMode;
  /** Whether the volume may be attached to two nodes while it moves. */
  migratable?: boolean;
  /**
   * Whether the content is encrypted.
   * @immutable Encrypted is immutable
   */
  encrypted?: boolean;
  /**
   * Name of the BackingImage below the volume.
   * @immutable BackingImage is immutable
   */
  backingImage?: string;
  /** Whether the volume follows the newest backup of another cluster and serves nobody. */
  Standby?: boolean;
  /** Whether replicas keep no count of their writes. */
  revisionCounterDisabled?: boolean;
  /** Whether replicas move for an even spread over nodes and zones. */
  replicaAutoBalance?: ReplicaAutoBalance;
  /** Whether two replicas may be on one node. */
  replicaSoftAntiAffinity?: SettingOverride;
  /** Whether two replicas may be in one zone. */
  replicaZoneSoftAntiAffinity?: SettingOverride;
  /** Whether two replicas may be on one disk. */
  replicaDiskSoftAntiAffinity?: SettingOverride;
  /** Whether and how snapshots are compared between replicas. */
  snapshotDataIntegrity?: SnapshotDataIntegrity;
  /** When a computation of the checksums of all snapshots was last asked for. */
  snapshotHashingRequestedAt?: TimeText;
  /** Number of snapshots that the volume may have. */
  snapshotMaxCount?: Integer;
  /** Bytes that all snapshots together may have; 0 for no bound. */
  snapshotMaxSize?: Int64Text;
  /** Compression of the volume's backups. */
  backupCompressionMethod?: CompressionMethod;
  /**
   * Bytes of a block of the volume's backups.
   * @format int64
   */
  backupBlockSize?: '2097152' | '16777216';
  /** Name of the BackupTarget that backups go to. */
  backupTargetName?: string;
  /** Whether a restore of the volume brings its recurring jobs back. */
  restoreVolumeRecurringJob?: SettingOverride;
  /** Whether a file system on the volume is frozen while a snapshot is taken. */
  freezeFilesystemForSnapshot?: SettingOverride;
  /** Whether a trim takes snapshots that are marked as removed with it. */
  unmapMarkSnapChainRemoved?: 'ignored' | 'disabled' | 'enabled';
  /** Whether missing replicas are rebuilt while the volume is detached. */
  offlineRebuilding?: 'ignored' | 'disabled' | 'enabled';
  /**
   * Number of layers that a rebuild copies at once; 0 takes the setting.
   * @minimum 0
   * @maximum 5
   */
  rebuildConcurrentSyncLimit?: Integer;
  /**
   * Megabytes per second that a rebuild may use; 0 for no bound.
   * @minimum 0
   */
  replicaRebuildingBandwidthLimit?: Int64;
  /** Requests that a queue of the ublk device holds. */
  ublkQueueDepth?: Integer;
  /** Number of queues of the ublk device. */
  ublkNumberOfQueue?: Integer;
}
