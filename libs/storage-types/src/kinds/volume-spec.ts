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

/**
 * What the volume should be. Claims, the REST API and `lateen storage volume create` write the defaults into each new Volume. A Volume that
 * you write yourself has to set the fields: without numberOfReplicas it has one replica, and without image it does not start.
 */
export interface VolumeSpec {
  /** Size of the volume: decimal number of bytes, as text, such as `10737418240` for 10 GiB. A multiple of 2 MiB. It can only grow. */
  size?: Int64Text;
  /**
   * How the volume is offered to the node it is attached to. `blockdev`: as a block device. Empty: not at all, for standby volumes. Lateen
   * refuses `iscsi`, `nvmf` and `ublk`. Default: `blockdev`.
   */
  frontend?: Frontend;
  /**
   * `true`: the volume is attached without a device, for example for a restore or a revert. The volume manager sets it from the ticket that
   * is served.
   */
  disableFrontend?: boolean;
  /** Number of replicas that the volume should have, 1 to 20. Default of new volumes: the setting default-replica-count (3). */
  numberOfReplicas?: Integer;
  /**
   * Name of the node that the volume should be attached to. Empty: detached. The volume manager sets it from the tickets of the
   * VolumeAttachment; do not change it by hand.
   */
  nodeID?: string;
  /** Name of the node that the engine should run on, if it is not the node of the device. No effect in Lateen. */
  engineNodeID?: string;
  /** Name of the node that a live migration moves the volume to. No effect in Lateen, which does not support live migration. */
  migrationNodeID?: string;
  /** Who last attached the volume by hand: `lastAttachedBy` of the ticket that was served. */
  lastAttachedBy?: string;
  /** Container image of the engine and the replicas. Default of new volumes: the setting default-engine-image. */
  image?: string;
  /** Data engine of the volume. Only `v1` is supported by Lateen; `v2` is refused. Default: `v1`. */
  dataEngine?: DataEngine;
  /**
   * URL of the backup that the volume starts with: `status.url` of a Backup. The volume can be attached when all of it is restored. Empty:
   * the volume starts with zeros.
   */
  fromBackup?: string;
  /**
   * Volume or snapshot that is copied into the volume before it can be attached: `vol://VOLUME` or `snap://VOLUME/SNAPSHOT`. Empty: the
   * volume starts with zeros. Cannot be combined with fromBackup.
   */
  dataSource?: string;
  /** How dataSource is copied. `full-copy` or empty: all data. `linked-clone`: data is shared with the source; Lateen refuses it. */
  cloneMode?: CloneMode;
  /**
   * Whether one replica is on the node that the volume is attached to. `disabled`: wherever there is room. `best-effort`: if there is room
   * on that node. `strict-local`: always; the volume has only this one replica. Default of new volumes: the setting default-data-locality
   * (disabled).
   */
  dataLocality?: DataLocality;
  /**
   * How the data is distributed over nodes. Empty: each replica has all data. Cannot be changed.
   * @immutable DataLayout is immutable
   */
  dataLayout?: DataLayout;
  /** Minutes after which a failed replica is deleted. 0: never because of its age. Default of new volumes: 2880 (two days). */
  staleReplicaTimeout?: Integer;
  /** Tags that a node must have, all of them, to get a replica of the volume. Empty: any node. */
  nodeSelector?: string[];
  /** Tags that a disk must have, all of them, to get a replica of the volume. Empty: any disk. */
  diskSelector?: string[];
  /**
   * Who may use the volume at the same time. `rwo`: pods of one node. `rwop`: one pod. `rwx`: pods of several nodes; Lateen refuses it.
   * Default: `rwo`.
   */
  accessMode?: AccessMode;
  /** `true`: the volume can be attached to two nodes during a live migration. Lateen refuses it. Default: `false`. */
  migratable?: boolean;
  /**
   * `true`: the data is encrypted on the node. Lateen refuses it; encrypt the disks of the nodes instead. Cannot be changed. Default:
   * `false`.
   * @immutable Encrypted is immutable
   */
  encrypted?: boolean;
  /**
   * Name of the BackingImage below the volume. Lateen refuses it; clone or restore a volume instead. Cannot be changed. Empty: none.
   * @immutable BackingImage is immutable
   */
  backingImage?: string;
  /** `true`: the volume follows the backups in fromBackup, and cannot be attached before it is activated (`false`). Default: `false`. */
  Standby?: boolean;
  /** `true`: replicas do not count writes. No effect in Lateen, which finds the replica with all writes in another way. */
  revisionCounterDisabled?: boolean;
  /**
   * Whether replicas are moved to spread them evenly. `disabled`: no. `least-effort`: until no zone or node has two while another one has
   * none. `best-effort`: until they are even. `ignored` or empty: the setting replica-auto-balance.
   */
  replicaAutoBalance?: ReplicaAutoBalance;
  /**
   * Whether two replicas of the volume may be on one node: `enabled` or `disabled`. `ignored` or empty: the setting
   * replica-soft-anti-affinity (false).
   */
  replicaSoftAntiAffinity?: SettingOverride;
  /**
   * Whether two replicas of the volume may be in one zone: `enabled` or `disabled`. `ignored` or empty: the setting
   * replica-zone-soft-anti-affinity (true).
   */
  replicaZoneSoftAntiAffinity?: SettingOverride;
  /**
   * Whether two replicas of the volume may be on one disk: `enabled` or `disabled`. `ignored` or empty: the setting
   * replica-disk-soft-anti-affinity (true).
   */
  replicaDiskSoftAntiAffinity?: SettingOverride;
  /**
   * Whether snapshots are compared between replicas. `disabled`: no. `enabled`: all are read each time. `fast-check`: only those that
   * changed are read. `ignored` or empty: the setting snapshot-data-integrity (fast-check).
   */
  snapshotDataIntegrity?: SnapshotDataIntegrity;
  /**
   * When checksums of all snapshots were last requested. Set it to the current time (RFC 3339) to have them computed at once. Empty: never.
   */
  snapshotHashingRequestedAt?: TimeText;
  /**
   * Number of snapshots that the volume may have, 2 to 250. A new snapshot beyond that is refused. Empty or 0: the setting
   * snapshot-max-count (250).
   */
  snapshotMaxCount?: Integer;
  /**
   * Size that all snapshots of the volume together may have: decimal number of bytes, as text, at least twice the size of the volume. `0`
   * or empty: no limit.
   */
  snapshotMaxSize?: Int64Text;
  /**
   * How blocks of backups are compressed: `none`, `lz4` or `gzip`. Cannot be changed after creation. Default of new volumes: the setting
   * backup-compression-method (lz4).
   */
  backupCompressionMethod?: CompressionMethod;
  /**
   * Size of a block of backups, in bytes: `2097152` (2 MiB) or `16777216` (16 MiB). Cannot be changed after creation. Default of new
   * volumes: the setting default-backup-block-size (2 MiB).
   * @format int64
   */
  backupBlockSize?: '2097152' | '16777216';
  /** Name of the BackupTarget that stores backups of the volume. Default: `default`. */
  backupTargetName?: string;
  /**
   * Whether a volume that is created from a backup gets the recurring jobs of the backup: `enabled` or `disabled`. `ignored` or empty: the
   * setting restore-volume-recurring-jobs (false).
   */
  restoreVolumeRecurringJob?: SettingOverride;
  /**
   * Whether the file system on the volume is frozen while a snapshot is taken: `enabled` or `disabled`. `ignored` or empty: the setting
   * freeze-filesystem-for-snapshot (false).
   */
  freezeFilesystemForSnapshot?: SettingOverride;
  /** Whether a trim also frees blocks of snapshots that are marked as removed. No effect in Lateen: a trim removes no snapshot. */
  unmapMarkSnapChainRemoved?: 'ignored' | 'disabled' | 'enabled';
  /**
   * Whether missing replicas are rebuilt while the volume is detached: `enabled` or `disabled`. `ignored` or empty: the setting
   * offline-replica-rebuilding (false).
   */
  offlineRebuilding?: 'ignored' | 'disabled' | 'enabled';
  /**
   * Number of snapshot files that a rebuild copies in parallel, 1 to 5. 0 or empty: the setting replica-rebuild-concurrent-sync-limit (1).
   * @minimum 0
   * @maximum 5
   */
  rebuildConcurrentSyncLimit?: Integer;
  /**
   * Limit of the speed of rebuilds, in megabytes per second, for the data engine v2. No effect in Lateen.
   * @minimum 0
   */
  replicaRebuildingBandwidthLimit?: Int64;
  /** Number of requests in one queue of the frontend ublk. No effect in Lateen. */
  ublkQueueDepth?: Integer;
  /** Number of queues of the frontend ublk. No effect in Lateen. */
  ublkNumberOfQueue?: Integer;
}
