export {
  type AttachmentSeen,
  disableFrontendOf,
  type Ticket,
  type WantedFrontend,
} from './attachment/attachment-seen.ts';
export { type AttachmentDecision, decideAttachment } from './attachment/decide-attachment.ts';
export type { Stranded } from './attachment/stranded-ticket.ts';
export { ticketNode } from './attachment/ticket-node.ts';
export { ticketPriority } from './attachment/ticket-priority.ts';
export type { BackupEffect, BackupSeen, StoredBackupFacts, TransferFacts } from './backup/backup-seen.ts';
export type {
  BackupVolumeEffect,
  BackupVolumeLook,
  BackupVolumeSeen,
  StoredVolumeFacts,
} from './backup/backup-volume-seen.ts';
export { decideBackup, transferLostMs } from './backup/decide-backup.ts';
export { type BackupTargetEffect, type BackupTargetSeen, decideBackupTarget } from './backup/decide-backup-target.ts';
export { decideBackupVolume } from './backup/decide-backup-volume.ts';
export { backupsOfTransfer, backupTransferName } from './backup/lost-transfer.ts';
export { newBackup, type WantedBackup } from './backup/new-backup.ts';
export {
  type BackupTargetUpdateSeen,
  backupTargetSyncMs,
  checkBackupTargetAvailable,
  checkBackupTargetDeletion,
  checkBackupTargetSync,
  checkBackupTargetUpdate,
  lookProblem,
} from './checks/backup-target-checks.ts';
export { type Check, deniedByWebhook, firstRefusal, type Refusal, unableToCreateVolume } from './checks/check.ts';
export { checkEngineImageDeletion, type EngineImageDeletionSeen } from './checks/engine-image-checks.ts';
export { checkNewVolume, isSupportedHere, type NewVolumeSeen, newVolumeChecks } from './checks/new-volume.ts';
export {
  checkNodeDeletion,
  checkNodeUpdate,
  checkTags,
  type NodeDeletionSeen,
  type NodeUpdateSeen,
  nodeUpdateChecks,
} from './checks/node-checks.ts';
export {
  checkRecurringJob,
  normalizedRecurringJob,
  type RecurringJobSeen,
  recurringJobNameMax,
} from './checks/recurring-job-checks.ts';
export { checkSettingInCluster, type SettingInClusterSeen } from './checks/setting-in-cluster.ts';
export {
  type AttachFacts,
  checkActivate,
  checkAttach,
  checkDetach,
  checkEngineIsRunning,
  checkExpand,
  checkHasNoClaim,
  checkHasNoPersistentVolume,
  checkNotMigrating,
  checkNotStandby,
  checkReplicaRemove,
  checkRevert,
  checkSizeChange,
  checkSnapshotLabels,
  type ReplicaFactsForRemoval,
  type StandbyAction,
  type VolumeFactsForActions,
} from './checks/volume-actions.ts';
export {
  checkReplicaCountState,
  checkVolumeUpdate,
  type VolumeUpdateSeen,
  volumeUpdateChecks,
} from './checks/volume-update.ts';
export {
  type CloneEffect,
  type CloneSeen,
  type CloneTransfer,
  cloneTransferName,
  isCloning,
  volumeOfCloneTransfer,
} from './clone/clone-seen.ts';
export { cloneSnapshotName, type DataSource, dataSourceText, parseDataSource } from './clone/data-source.ts';
export { cloneAttemptsMax, decideClone } from './clone/decide-clone.ts';
export { type StatedCondition, withCondition } from './conditions/with-condition.ts';
export type { ContentKind, ContentState } from './content/content-kind.ts';
export {
  attachedOnlyFor,
  contentKindOf,
  contentOf,
  contentTickets,
  pendingContent,
} from './content/content-of.ts';
export type { BackupSource, FollowedBackup, RestoreSeen, StoredJobsSeen } from './content/restore-seen.ts';
export { heldBackup } from './content/wanted-backup.ts';
export type { Decide, Decision, EventWish } from './decision/decision.ts';
export { clocksDifferMs, isAhead } from './decision/is-ahead.ts';
export { type DiskDecision, decideDisk, type RegisterDisk } from './disk/decide-disk.ts';
export { type DiskOfNode, diskConflicts } from './disk/disk-conflicts.ts';
export type { DiskSeen } from './disk/disk-seen.ts';
export { decideEngine, type EngineDecision } from './engine/decide-engine.ts';
export type { EngineEffect, EngineRestoreSeen, EngineSeen } from './engine/engine-seen.ts';
export { type MergeContext, mergeEngineStatus } from './engine/merge-engine-status.ts';
export { restoresOn } from './engine/restore-of-engine.ts';
export { roomForWrites } from './engine/room-condition.ts';
export { type HostFacts, instanceOf, isThere } from './instance/host-facts.ts';
export { nextState } from './instance/next-state.ts';
export { replicasToEvict } from './node/auto-evicting.ts';
export { decideNode, diskLookMs } from './node/decide-node.ts';
export { probeConditions } from './node/node-conditions.ts';
export { type NodeFactsSeen, nodeFacts } from './node/node-facts.ts';
export type { NodeSeen } from './node/node-seen.ts';
export { type Kept, whyKept } from './orphan/cleanable.ts';
export { decideOrphan } from './orphan/decide-orphan.ts';
export type { FolderFacts, InstanceFacts, OrphanEffect, OrphanSeen } from './orphan/orphan-seen.ts';
export { type Availability, decideOwner, type OwnerSeen } from './owner/decide-owner.ts';
export {
  managerAvailability,
  managerLease,
  managerLeaseName,
} from './owner/manager-availability.ts';
export { type OwnedKind, type OwnerRule, ownerRules, preferredOwner } from './owner/preferred-owner.ts';
export { rendezvousWinner } from './owner/rendezvous-winner.ts';
export { cronProblem } from './recurring/cron-problem.ts';
export { decideRecurring } from './recurring/decide-recurring.ts';
export { isForVolume, type JobLabels, type PartInJob, partInJob } from './recurring/jobs-of-volume.ts';
export { recurringRunOf, recurringRunText } from './recurring/recurring-run.ts';
export type { JobStep, RecurringRun, RecurringSeen, RecurringVolume } from './recurring/recurring-seen.ts';
export { storedJobsText, withoutStoredJobs } from './recurring/stored-jobs.ts';
export { decideReplica, directoryOf, type ReplicaEffect, type ReplicaSeen } from './replica/decide-replica.ts';
export {
  type AntiAffinityOfVolume,
  type AntiAffinityPolicies,
  type AntiAffinitySettings,
  antiAffinityOf,
  type Soft,
} from './scheduler/anti-affinity.ts';
export {
  type AutoBalance,
  autoBalanceOf,
  type BalanceMove,
  type BalanceSeen,
  decideBalance,
} from './scheduler/balance.ts';
export {
  type ClusterFacts,
  type DiskFacts,
  diskOf,
  isBeingEmptied,
  type NodeFacts,
} from './scheduler/cluster-facts.ts';
export { hasRoom, hasRoomToGrow, keepsMinimalAvailable, usableBytes } from './scheduler/disk-room.ts';
export {
  type Affinity,
  affinityOf,
  type LocalitySeen,
  wantsLocalReplica,
} from './scheduler/locality.ts';
export { isPlace, placeReplica } from './scheduler/place-replica.ts';
export type {
  Place,
  PlacedReplica,
  Placement,
  PlaceRequest,
  SchedulerSettings,
  VolumeFacts,
} from './scheduler/place-request.ts';
export {
  precheckFailed,
  type RefusalReason,
  type Refused,
  refusalMessage,
  refusalReasons,
  refusedText,
  schedulingFailure,
} from './scheduler/refusal.ts';
export {
  type FailedReplica,
  mayReturn,
  type Reuse,
  type ReuseSeen,
  rebuildRetriesMax,
  reusableReplica,
} from './scheduler/reuse.ts';
export { type SurplusSeen, surplusReplica } from './scheduler/surplus-replica.ts';
export { withReplica } from './scheduler/with-replica.ts';
export {
  defaultSettings,
  missingSettings,
  readSettings,
  type SettingProblem,
  type Settings,
} from './settings/read-settings.ts';
export { schedulerSettingsOf } from './settings/scheduler-settings.ts';
export {
  type SettingCategory,
  type SettingDefinition,
  type SettingKind,
  settingCategories,
} from './settings/setting-definition.ts';
export {
  defaultValueOf,
  definitionOf,
  type SettingName,
  settingDefinitions,
  settingWarning,
} from './settings/setting-definitions.ts';
export { type SettingChecks, type SettingVerdict, validateSetting } from './settings/validate-setting.ts';
export { compareSums, type SumsVerdict } from './snapshot/compare-sums.ts';
export { decideSnapshot } from './snapshot/decide-snapshot.ts';
export { decideSums, type SumsSeen, type SumTask } from './snapshot/decide-sums.ts';
export { newSnapshot } from './snapshot/new-snapshot.ts';
export { decideSnapshotPurge, type PurgeDecision } from './snapshot/purgeable.ts';
export { checkSnapshotLimits } from './snapshot/snapshot-limits.ts';
export type { SnapshotEffect, SnapshotSeen } from './snapshot/snapshot-seen.ts';
export { snapshotNeedsAttachment } from './snapshot/snapshot-ticket.ts';
export { changedEngine } from './volume/changed-engine.ts';
export { changedReplica, promisedReplica } from './volume/changed-replica.ts';
export { decideVolume } from './volume/decide-volume.ts';
export { type Fold, foldFailures, type UnfoldedFailure, wholeSet } from './volume/fold-failures.ts';
export { type MissingData, madeAsOf, missingData } from './volume/missing-data.ts';
export {
  needsOfflineRebuild,
  offlineWork,
  type ReplicaTicket,
  rebuildsOffline,
  replicaTickets,
} from './volume/offline-work.ts';
export { everHealthy, isFailed } from './volume/replica-facts.ts';
export { decideRobustness, type RobustnessDecision, type RobustnessSeen } from './volume/robustness.ts';
export {
  checkSalvage,
  decideSalvage,
  type Salvage,
  type SalvageOf,
  type SalvageSeen,
  salvageWindowMs,
  withSalvageRequest,
} from './volume/salvage.ts';
export { evictedReplicas } from './volume/steps/evict.ts';
export type { Addresses, EngineChange, OwnedByVolume, ReplicaChange, VolumeEffect } from './volume/volume-effect.ts';
export type { VolumeSeen } from './volume/volume-seen.ts';
export { withVolumeDefaults } from './volume/with-volume-defaults.ts';
