export { type BuiltInActionOptions, type BuiltInActions, builtInActions } from './built-in-actions.ts';
export type { ActionContext, VolumeChoices, VolumeFacts } from './contract/action-context.ts';
export type { BackupItemAction, BackupItemResult, OperationContext } from './contract/backup-item-action.ts';
export type { DeleteItemAction } from './contract/delete-item-action.ts';
export type { ItemBlockAction } from './contract/item-block-action.ts';
export type { ItemIdentifier } from './contract/item-identifier.ts';
export type { OperationProgress } from './contract/operation-progress.ts';
export type { ResourceSelector } from './contract/resource-selector.ts';
export {
  type RestoreActionContext,
  type RestoredItem,
  type RestoreItemAction,
  type RestoreItemInput,
  type RestoreItemResult,
  type RestoreOperationContext,
  type RestoreVolumeFacts,
  withItemsWait,
} from './contract/restore-item-action.ts';
export { completeSnapshotNotes } from './csi/complete-snapshot-notes.ts';
export { discardBackupSnapshots } from './csi/discard-backup-snapshots.ts';
export { retireBackupSnapshots } from './csi/retire-backup-snapshots.ts';
export { groupOf, type VolumeGroup } from './group-label.ts';
export { findActionConfig } from './item/find-action-config.ts';
export { waitsForConsumer } from './item/waits-for-consumer.ts';
export { withMetadata, withoutAnnotations } from './item/with-metadata.ts';
export { nodesWithAgent, runningNodeAgents } from './node-agents.ts';
export { failedVolumePolicies } from './restore/pod-volumes/failed-pod-volumes.ts';
export { tellPodsOfVolumes } from './restore/pod-volumes/tell-pods.ts';
export { csiRestoreActions, dataUploadResultsOf } from './restore-csi/csi-restore-actions.ts';
export { existingPolicies, parseClaimPolicies } from './restore-csi/existing/existing-policy.ts';
export { deleteOldData, oldDataOf } from './restore-csi/existing/old-data.ts';
export { mayScale, replicasBefore, scaledDownBy, scaleUp, usersOf } from './restore-csi/existing/workloads.ts';
export { groupStubsOf } from './restore-csi/group-stubs.ts';
export { ofRestore as downloadsOf } from './restore-csi/restore-labels.ts';
export { retireRestoredSnapshot, retireUnusedSnapshots } from './restore-csi/restored-snapshots.ts';
export { runAction } from './run/run-action.ts';
export { type SelectableItem, selects, selectsResource } from './select/selects.ts';
