export type { InstanceSpec } from './instance/instance-spec.ts';
export { type InstanceState, instanceStates } from './instance/instance-state.ts';
export type { InstanceStatus } from './instance/instance-status.ts';
export {
  type Backup,
  type BackupMode,
  type BackupSpec,
  type BackupState,
  type BackupStatus,
  backupModes,
  backupStates,
  backupTargetNameOf,
  backupType,
  backupVolumeNameOf,
} from './kinds/backup.ts';
export {
  type BackupTarget,
  type BackupTargetSpec,
  type BackupTargetStatus,
  backupTargetType,
  backupTargetUnavailable,
  defaultBackupTarget,
} from './kinds/backup-target.ts';
export {
  type BackupVolume,
  type BackupVolumeSpec,
  type BackupVolumeStatus,
  backupVolumeType,
} from './kinds/backup-volume.ts';
export {
  type DataLayout,
  type DataLayoutMode,
  type DataLayoutType,
  dataLayoutModes,
  dataLayoutTypes,
} from './kinds/data-layout.ts';
export {
  type DiskConditionType,
  type DiskDriver,
  type DiskHealth,
  type DiskHealthAttribute,
  type DiskSpec,
  type DiskStatus,
  type DiskType,
  diskConditionTypes,
  diskDrivers,
  diskTypes,
} from './kinds/disk.ts';
export { type Engine, type EngineSpec, engineType } from './kinds/engine.ts';
export {
  type EngineImage,
  type EngineImageSpec,
  type EngineImageState,
  type EngineImageStatus,
  engineImageStates,
  engineImageType,
} from './kinds/engine-image.ts';
export { type EngineSnapshot, type EngineStatus, type ReplicaMode, replicaModes } from './kinds/engine-status.ts';
export type {
  EngineBackupStatus,
  EngineCloneStatus,
  EnginePurgeStatus,
  EngineRebuildStatus,
  EngineRestoreStatus,
} from './kinds/engine-work.ts';
export {
  type BackingImageOfInstanceManager,
  type DataEngineSpec,
  type DataEngineStatus,
  type InstanceManager,
  type InstanceManagerKind,
  type InstanceManagerSpec,
  type InstanceManagerState,
  type InstanceManagerStatus,
  instanceManagerStates,
  instanceManagerType,
  instanceManagerTypes,
  type V2DataEngineSpec,
  type V2DataEngineStatus,
} from './kinds/instance-manager.ts';
export type {
  FrontendPath,
  InstanceProcess,
  InstanceProcessSpec,
  InstanceProcessStatus,
} from './kinds/instance-process.ts';
export {
  type LonghornNode,
  type LonghornNodeSpec,
  type LonghornNodeStatus,
  longhornNodeType,
  type NodeConditionType,
  nodeConditionTypes,
  type SnapshotCheckStatus,
} from './kinds/longhorn-node.ts';
export {
  type Orphan,
  type OrphanConditionType,
  type OrphanSpec,
  type OrphanStatus,
  type OrphanType,
  orphanConditionTypes,
  orphanParameters,
  orphanType,
  orphanTypes,
} from './kinds/orphan.ts';
export {
  type RecurringJob,
  type RecurringJobSpec,
  type RecurringJobStatus,
  type RecurringTask,
  recurringJobType,
  recurringTasks,
} from './kinds/recurring-job.ts';
export { type Replica, type ReplicaSpec, type ReplicaStatus, replicaType } from './kinds/replica.ts';
export { type Setting, type SettingStatus, settingType } from './kinds/setting.ts';
export { type Snapshot, type SnapshotSpec, type SnapshotStatus, snapshotType } from './kinds/snapshot.ts';
export { type Volume, volumeType } from './kinds/volume.ts';
export {
  type AttachmentTicket,
  type AttachmentTicketStatus,
  type TicketType,
  ticketTypes,
  type VolumeAttachmentObject,
  type VolumeAttachmentSpec,
  type VolumeAttachmentStatus,
  volumeAttachmentObjectType,
} from './kinds/volume-attachment-object.ts';
export {
  type AccessMode,
  accessModes,
  type CloneMode,
  type CompressionMethod,
  cloneModes,
  compressionMethods,
  type DataLocality,
  dataLocalities,
  type ReplicaAutoBalance,
  replicaAutoBalances,
  type SnapshotDataIntegrity,
  snapshotDataIntegrities,
} from './kinds/volume-choices.ts';
export type { VolumeSpec } from './kinds/volume-spec.ts';
export {
  type CloneState,
  cloneStates,
  type Robustness,
  robustnesses,
  type VolumeConditionType,
  type VolumeState,
  volumeConditionTypes,
  volumeStates,
} from './kinds/volume-state.ts';
export type { KubernetesStatus, VolumeCloneStatus, VolumeStatus, WorkloadStatus } from './kinds/volume-status.ts';
export { type BackingImage, backingImageType } from './listed/backing-image.ts';
export { type BackingImageDataSource, backingImageDataSourceType } from './listed/backing-image-data-source.ts';
export { type BackingImageManager, backingImageManagerType } from './listed/backing-image-manager.ts';
export { type BackupBackingImage, backupBackingImageType } from './listed/backup-backing-image.ts';
export { type EngineFrontend, engineFrontendType } from './listed/engine-frontend.ts';
export { type Shard, shardType } from './listed/shard.ts';
export { type ShardGroup, shardGroupType } from './listed/shard-group.ts';
export { type ShareManager, shareManagerType } from './listed/share-manager.ts';
export { type SupportBundle, supportBundleType } from './listed/support-bundle.ts';
export { type SystemBackup, systemBackupType } from './listed/system-backup.ts';
export { type SystemRestore, systemRestoreType } from './listed/system-restore.ts';
export { type Condition, type ConditionStatus, conditionStatuses } from './meta/condition.ts';
export { type DataEngine, dataEngines } from './meta/data-engine.ts';
export { type Frontend, frontends } from './meta/frontend.ts';
export { int64Of, int64Text } from './meta/int64-text.ts';
export { longhornGroup, longhornNamespace, longhornType, longhornVersion } from './meta/longhorn-type.ts';
export type { Int32, Int64Text, TimeText } from './meta/scalars.ts';
export { type SettingOverride, settingOverrides } from './meta/setting-override.ts';
export { backupMoves, backupStateOf, isBackupOver, isBackupTransferring } from './moves/backup-moves.ts';
export { instanceMoves, instanceStateOf } from './moves/instance-moves.ts';
export { mayMove, type StateMoves, stateIn } from './moves/state-moves.ts';
export { volumeMoves, volumeStateOf } from './moves/volume-moves.ts';
export {
  generationOf,
  nodeAnnotations,
  type RecurringJobsNote,
  type RestoreRequest,
  recurringJobsNoteOf,
  restoreRequestOf,
  salvageRequestOf,
  storageAnnotations,
} from './names/annotations.ts';
export { longhornFinalizer } from './names/finalizers.ts';
export {
  backupLabels,
  recurringJobGroupLabel,
  recurringJobLabel,
  recurringJobOfLabel,
  storageLabels,
  storageLabelValues,
} from './names/labels.ts';
export {
  backupName,
  backupVolumeName,
  csiTicketId,
  engineImageName,
  engineName,
  instanceManagerImageLabel,
  instanceManagerName,
  orphanName,
  rebuildSnapshotName,
  replicaName,
  restoreTransferName,
  snapshotName,
  volumeHead,
} from './names/object-names.ts';
export {
  type FieldWriter,
  type FieldWriters,
  fieldWriterNames,
  fieldWriters,
  writersOf,
} from './writers/field-writers.ts';
