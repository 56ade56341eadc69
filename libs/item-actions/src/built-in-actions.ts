import { claimAction } from './backup/claim-action.ts';
import { crdVersionAction } from './backup/crd-version-action.ts';
import { podAction } from './backup/pod-action.ts';
import { serviceAccountAction } from './backup/service-account-action.ts';
import { claimBlockAction } from './block/claim-block-action.ts';
import { podBlockAction } from './block/pod-block-action.ts';
import { serviceAccountBlockAction } from './block/service-account-block-action.ts';
import type { BackupItemAction } from './contract/backup-item-action.ts';
import type { DeleteItemAction } from './contract/delete-item-action.ts';
import type { ItemBlockAction } from './contract/item-block-action.ts';
import type { RestoreItemAction } from './contract/restore-item-action.ts';
import { claimSnapshotAction } from './csi/claim-snapshot-action.ts';
import { classAction, contentAction } from './csi/content-and-class-actions.ts';
import { csiRuns } from './csi/csi-run.ts';
import { snapshotAction } from './csi/snapshot-action.ts';
import { contentDeleteAction } from './delete/content-delete-action.ts';
import { apiServiceAction } from './restore/api-service-action.ts';
import { roleBindingActions } from './restore/binding-actions.ts';
import { changeImageNameAction } from './restore/change-image-name-action.ts';
import { changeStorageClassAction } from './restore/change-storage-class-action.ts';
import { claimsOfPodAction } from './restore/claims-of-pod-action.ts';
import { crdPreserveFieldsAction } from './restore/crd-preserve-fields-action.ts';
import { initHookAction } from './restore/init-hook-action.ts';
import { jobAction } from './restore/job-action.ts';
import { podAction as podRestoreAction } from './restore/pod-action.ts';
import { type PodVolumeRestores, podVolumeRestoreAction } from './restore/pod-volumes/pod-volume-restore-action.ts';
import { secretAction } from './restore/secret-action.ts';
import { serviceAccountAction as serviceAccountRestoreAction } from './restore/service-account-action.ts';
import { serviceAction } from './restore/service-action.ts';
import { webhookConfigurationAction } from './restore/webhook-configuration-action.ts';
import {
  claimAction as claimRestoreAction,
  csiRestoreActions,
  dataUploadAction,
} from './restore-csi/csi-restore-actions.ts';
import { rolesOfAccounts } from './roles-of-accounts.ts';

export interface BuiltInActionOptions {
  /** Feature EnableCSI: without it nothing is snapshotted by CSI, and no data is moved. */
  csi: boolean;
  /** The API server still serves CustomResourceDefinitions as v1beta1 (before Kubernetes 1.22). */
  oldDefinitions?: boolean;
  /** Absent when no component restores volumes of pods through their file system. */
  podVolumes?: PodVolumeRestores | undefined;
}

export interface BuiltInActions {
  /** In the order in which they process an item (backup-and-restore.md section 6). */
  backup: BackupItemAction[];
  block: ItemBlockAction[];
  /** For the items of a backup that is being deleted. */
  delete: DeleteItemAction[];
  /** In the order in which they process an item of a restore. */
  restore: RestoreItemAction[];
}

/**
 * The actions of this product; those of plugins come after them. Their cached data of a backup is released with the Backup
 * object.
 */
export function builtInActions(options: BuiltInActionOptions): BuiltInActions {
  const { csi, oldDefinitions = false } = options;
  const rolesOf = rolesOfAccounts();
  return {
    backup: [
      claimAction,
      podAction,
      serviceAccountAction(rolesOf),
      ...(oldDefinitions ? [crdVersionAction] : []),
      ...(csi ? csiActions() : []),
    ],
    block: [claimBlockAction, podBlockAction, serviceAccountBlockAction(rolesOf)],
    delete: csi ? [contentDeleteAction] : [],
    restore: restoreActions(options),
  };
}

function csiActions(): BackupItemAction[] {
  const runOf = csiRuns();
  return [claimSnapshotAction(runOf), snapshotAction, contentAction(runOf), classAction];
}

function restoreActions({ csi, podVolumes }: BuiltInActionOptions): RestoreItemAction[] {
  return [
    jobAction,
    podRestoreAction,
    podVolumeRestoreAction(podVolumes),
    initHookAction,
    serviceAction,
    serviceAccountRestoreAction,
    secretAction,
    claimsOfPodAction,
    claimRestoreAction,
    changeStorageClassAction(),
    changeImageNameAction(),
    ...roleBindingActions,
    crdPreserveFieldsAction,
    apiServiceAction,
    webhookConfigurationAction,
    dataUploadAction(),
    ...(csi ? csiRestoreActions() : []),
  ];
}
