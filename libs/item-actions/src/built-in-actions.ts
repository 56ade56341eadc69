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
import { claimSnapshotAction } from './csi/claim-snapshot-action.ts';
import { classAction, contentAction } from './csi/content-and-class-actions.ts';
import { csiRuns } from './csi/csi-run.ts';
import { snapshotAction } from './csi/snapshot-action.ts';
import { contentDeleteAction } from './delete/content-delete-action.ts';
import { rolesOfAccounts } from './roles-of-accounts.ts';

export interface BuiltInActionOptions {
  /** Feature EnableCSI: without it nothing is snapshotted by CSI, and no data is moved. */
  csi: boolean;
  /** The API server still serves CustomResourceDefinitions as v1beta1 (before Kubernetes 1.22). */
  oldDefinitions?: boolean;
}

export interface BuiltInActions {
  /** In the order in which they see an item (backup-and-restore.md section 6). */
  backup: BackupItemAction[];
  block: ItemBlockAction[];
  /** For the items of a backup that is deleted. */
  delete: DeleteItemAction[];
}

/** The actions of this product; those of plugins come after them. What they keep of a backup goes with its object. */
export function builtInActions({ csi, oldDefinitions = false }: BuiltInActionOptions): BuiltInActions {
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
  };
}

function csiActions(): BackupItemAction[] {
  const runOf = csiRuns();
  return [claimSnapshotAction(runOf), snapshotAction, contentAction(runOf), classAction];
}
