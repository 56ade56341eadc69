export { claimNameOf } from './core/claim-of-volume.ts';
export { type ConfigMap, configMapType } from './core/config-map.ts';
export type {
  Container,
  ContainerSecurityContext,
  EnvVar,
  ResourceRequirements,
  VolumeDevice,
  VolumeMount,
} from './core/container.ts';
export { type DaemonSet, daemonSetType } from './core/daemon-set.ts';
export { type Deployment, deploymentType } from './core/deployment.ts';
export { type CoreEvent, eventType } from './core/event.ts';
export { logArguments, pickKeys, presentFields } from './core/inherit.ts';
export { isMounted } from './core/is-mounted.ts';
export { type Job, type JobCondition, type JobStatus, jobType } from './core/job.ts';
export { type Lease, leaseType } from './core/lease.ts';
export {
  type LimitedResource,
  limitIn,
  limitVariables,
  scratchLimitIn,
  scratchVariable,
} from './core/limit-variables.ts';
export { type Namespace, namespaceType } from './core/namespace.ts';
export { type Node, nodeType } from './core/node.ts';
export { nodeRequirements } from './core/node-requirements.ts';
export { slotsByDefault, slotsIn, slotsVariable } from './core/node-slots.ts';
export {
  type PersistentVolume,
  type PersistentVolumeSpec,
  type PersistentVolumeStatus,
  persistentVolumeType,
  type ReclaimPolicy,
} from './core/persistent-volume.ts';
export {
  type AccessMode,
  type PersistentVolumeClaim,
  type PersistentVolumeClaimSpec,
  type PersistentVolumeClaimStatus,
  persistentVolumeClaimType,
  type VolumeMode,
} from './core/persistent-volume-claim.ts';
export {
  type ContainerState,
  type ContainerStatus,
  type Pod,
  type PodCondition,
  type PodPhase,
  type PodSecurityContext,
  type PodSpec,
  type PodStatus,
  type PodTemplateSpec,
  podPhases,
  podType,
} from './core/pod.ts';
export { type PriorityClass, priorityClassType } from './core/priority-class.ts';
export type {
  Affinity,
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  Toleration,
  TopologySpreadConstraint,
} from './core/scheduling.ts';
export { type Secret, secretType } from './core/secret.ts';
export { type ServiceAccount, serviceAccountType } from './core/service-account.ts';
export { type SnapshotMetadataService, snapshotMetadataServiceTypes } from './core/snapshot-metadata-service.ts';
export { type StorageClass, storageClassType } from './core/storage-class.ts';
export type { Volume } from './core/volume.ts';
export { type VolumeAttachment, volumeAttachmentType } from './core/volume-attachment.ts';
export {
  type VolumeGroupSnapshot,
  type VolumeGroupSnapshotClass,
  type VolumeGroupSnapshotContent,
  volumeGroupSnapshotClassType,
  volumeGroupSnapshotContentType,
  volumeGroupSnapshotType,
} from './core/volume-group-snapshot.ts';
export { type SnapshotError, snapshotGroup, type VolumeSnapshot, volumeSnapshotType } from './core/volume-snapshot.ts';
export { type VolumeSnapshotClass, volumeSnapshotClassType } from './core/volume-snapshot-class.ts';
export {
  type SnapshotDeletionPolicy,
  type VolumeSnapshotContent,
  volumeSnapshotContentType,
} from './core/volume-snapshot-content.ts';
export type { ByteProgress } from './meta/byte-progress.ts';
export { type HookErrorMode, type HookStatus, hookErrorModes } from './meta/hook.ts';
export type { KubeObject, ObjectMeta, OwnerReference, Unstructured } from './meta/kube-object.ts';
export type { LabelSelector, LabelSelectorRequirement } from './meta/label-selector.ts';
export type { ObjectReference } from './meta/object-reference.ts';
export type { ResourceType } from './meta/resource-type.ts';
export type { Base64, Duration, Int64, Integer, RawObject, Timestamp } from './meta/scalars.ts';
export type { SecretKeySelector } from './meta/secret-key-selector.ts';
export type { TypedLocalObjectReference } from './meta/typed-local-object-reference.ts';
export { veleroGroup } from './meta/velero-type.ts';
export { annotations, perDriver } from './names/annotations.ts';
export { attemptOf } from './names/attempt.ts';
export { type DataPathReason, dataPathReasons } from './names/data-path-reasons.ts';
export { finalizers } from './names/finalizers.ts';
export { hookAnnotations } from './names/hook-annotations.ts';
export {
  blockDataMover,
  builtInDataMover,
  controllerName,
  defaultLocationName,
  defaultNamespace,
  fileSystemDataMover,
  isBuiltInDataMover,
  isUnfitDataMover,
  nodeAgentName,
  productVersion,
  serviceAccountName,
  spokenVersion,
} from './names/installation.ts';
export { isLabelKey, isLabelValue } from './names/label-syntax.ts';
export { labels, labelValues } from './names/labels.ts';
export { type MovementReason, movementReasons } from './names/movement-reasons.ts';
export { isDataKey, isNamespaceName, isObjectName } from './names/object-name.ts';
export { repositoryPasswordWrong } from './names/repository-password-wrong.ts';
export { cloudCredentials, repositoryCredentials } from './names/secrets.ts';
export { getValidName, labelValueLengthMax, returnNameOrHash } from './names/valid-name.ts';
export { type BackupPhase, backupPhases } from './phases/backup-phase.ts';
export {
  type BackupType,
  backupTypes,
  parentSnapshotOf,
  parentSnapshotValues,
  readBackupType,
} from './phases/backup-type.ts';
export {
  type DataMovementPhase,
  dataMovementPhases,
  isTerminalPhase,
  type TerminalPhase,
  terminalPhases,
} from './phases/data-movement-phase.ts';
export { type NodeOS, nodeOperatingSystems } from './phases/node-os.ts';
export { type RestorePhase, restorePhases } from './phases/restore-phase.ts';
export { type UploaderType, uploaderTypes } from './phases/uploader-type.ts';
export { type Backup, type BackupProgress, type BackupStatus, backupType } from './v1/backup.ts';
export type { BackupExecHook, BackupHooks, BackupResourceHook, BackupResourceHookSpec } from './v1/backup-hooks.ts';
export {
  type BackupRepository,
  type BackupRepositoryPhase,
  type BackupRepositorySpec,
  type BackupRepositoryStatus,
  type BackupRepositoryType,
  backupRepositoryPhases,
  backupRepositoryType,
  backupRepositoryTypes,
  type MaintenanceResult,
  maintenanceResults,
  type RecentMaintenance,
} from './v1/backup-repository.ts';
export type { BackupSpec, BackupTemplateMetadata, UploaderConfigForBackup } from './v1/backup-spec.ts';
export {
  type BackupStorageLocation,
  type BackupStorageLocationAccessMode,
  type BackupStorageLocationPhase,
  type BackupStorageLocationSpec,
  type BackupStorageLocationStatus,
  backupStorageLocationAccessModes,
  backupStorageLocationPhases,
  backupStorageLocationType,
  type ObjectStorageLocation,
} from './v1/backup-storage-location.ts';
export { chooseDefault } from './v1/choose-default.ts';
export {
  type DeleteBackupRequest,
  type DeleteBackupRequestPhase,
  type DeleteBackupRequestSpec,
  type DeleteBackupRequestStatus,
  deleteBackupRequestPhases,
  deleteBackupRequestType,
} from './v1/delete-backup-request.ts';
export {
  type DownloadRequest,
  type DownloadRequestPhase,
  type DownloadRequestSpec,
  type DownloadRequestStatus,
  type DownloadTarget,
  type DownloadTargetKind,
  downloadRequestPhases,
  downloadRequestType,
  downloadTargetKinds,
} from './v1/download-request.ts';
export {
  type PodVolumeBackup,
  type PodVolumeBackupSpec,
  type PodVolumeBackupStatus,
  podVolumeBackupType,
} from './v1/pod-volume-backup.ts';
export {
  type PodVolumeRestore,
  type PodVolumeRestoreSpec,
  type PodVolumeRestoreStatus,
  podVolumeRestoreType,
} from './v1/pod-volume-restore.ts';
export { type Restore, type RestoreProgress, type RestoreStatus, restoreType } from './v1/restore.ts';
export type {
  RestoreExecHook,
  RestoreHooks,
  RestoreInitHook,
  RestoreResourceHook,
  RestoreResourceHookSpec,
} from './v1/restore-hooks.ts';
export type { RestoreSpec, RestoreStatusSpec, UploaderConfigForRestore } from './v1/restore-spec.ts';
export {
  type Schedule,
  type SchedulePhase,
  type ScheduleSpec,
  type ScheduleStatus,
  schedulePhases,
  scheduleType,
} from './v1/schedule.ts';
export {
  type PluginInfo,
  type ServerStatusRequest,
  type ServerStatusRequestPhase,
  type ServerStatusRequestSpec,
  type ServerStatusRequestStatus,
  serverStatusRequestPhases,
  serverStatusRequestType,
} from './v1/server-status-request.ts';
export {
  type VolumeSnapshotLocation,
  type VolumeSnapshotLocationPhase,
  type VolumeSnapshotLocationSpec,
  type VolumeSnapshotLocationStatus,
  volumeSnapshotLocationPhases,
  volumeSnapshotLocationType,
} from './v1/volume-snapshot-location.ts';
export type { ChangedBlocksRead } from './v2alpha1/changed-blocks-read.ts';
export {
  type DataDownload,
  type DataDownloadSpec,
  type DataDownloadStatus,
  dataDownloadType,
  type TargetVolume,
} from './v2alpha1/data-download.ts';
export {
  type CSISnapshot,
  type DataUpload,
  type DataUploadSpec,
  type DataUploadStatus,
  dataUploadType,
} from './v2alpha1/data-upload.ts';
export type { RestoreThroughput } from './v2alpha1/restore-throughput.ts';
