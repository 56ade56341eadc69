import {
  annotations,
  type Unstructured,
  type VolumeSnapshotClass,
  type VolumeSnapshotContent,
} from '@lateen/api-types';
import type { ActionContext } from '../contract/action-context.ts';
import type { BackupItemAction, BackupItemResult } from '../contract/backup-item-action.ts';
import type { ItemIdentifier } from '../contract/item-identifier.ts';
import { withMetadata } from '../item/with-metadata.ts';
import type { CsiRun } from './csi-run.ts';
import { isPassing, skipped } from './snapshot-action.ts';
import { secretsIn } from './snapshot-secrets.ts';

/**
 * A content's Secrets are backed up with it, whatever the filters say: without them the snapshot can be neither deleted nor
 * restored.
 */
export function contentAction(runOf: (context: ActionContext) => CsiRun): BackupItemAction {
  return {
    name: 'velero.io/csi-volumesnapshotcontent-backupper',
    appliesTo: { includedResources: ['volumesnapshotcontents.snapshot.storage.k8s.io'] },
    execute: async (item, context) => {
      const content = item as unknown as VolumeSnapshotContent;
      const { passingContents } = runOf(context);
      if (isPassing(content, context) || passingContents.has(content.metadata.name ?? '')) return skipped(item);
      return withSecrets(item, secretsIn(item.metadata.annotations ?? {}));
    },
  };
}

/** A class's Secrets are backed up with it too; its annotations or parameters name them. */
export const classAction: BackupItemAction = {
  name: 'velero.io/csi-volumesnapshotclass-backupper',
  appliesTo: { includedResources: ['volumesnapshotclasses.snapshot.storage.k8s.io'] },
  execute: async (item) => {
    const { parameters = {} } = item as unknown as VolumeSnapshotClass;
    return withSecrets(item, secretsIn(item.metadata.annotations ?? {}, parameters));
  },
};

function withSecrets(item: Unstructured, secrets: readonly ItemIdentifier[]): BackupItemResult {
  if (secrets.length === 0) return { item };
  return {
    item: withMetadata(item, { annotations: { [annotations.mustIncludeAdditionalItems]: 'true' } }),
    additionalItems: secrets,
  };
}
