import type { Unstructured, VolumeSnapshotContent } from '@lateen/api-types';
import { contentOnHandle } from '@lateen/volume-snapshots';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { secretsIn } from '../csi/snapshot-secrets.ts';
import { withNeeded } from './must-include.ts';
import type { SnapshotClasses } from './snapshot-class-for.ts';
import { restoredSnapshotName } from './snapshot-name.ts';

/**
 * Restores a VolumeSnapshotContent with the handle of the snapshot on the storage, for the restored VolumeSnapshot. Its policy is
 * Retain: the snapshot belongs to the backup, and must stay when a user deletes the restored objects.
 */
export function snapshotContentRestoreAction(classFor: SnapshotClasses): RestoreItemAction {
  return {
    name: 'velero.io/csi-volumesnapshotcontent-restorer',
    appliesTo: { includedResources: ['volumesnapshotcontents.snapshot.storage.k8s.io'] },
    execute: async ({ item, itemFromBackup }, context, signal) => {
      if (context.restore.spec.restorePVs === false) return { updatedItem: item, skipRestore: true };
      const stored = itemFromBackup as unknown as VolumeSnapshotContent;
      const { driver, volumeSnapshotRef, volumeSnapshotClassName: className } = stored.spec;
      const name = restoredSnapshotName(context.restore, volumeSnapshotRef.name ?? '');
      const snapshot = { namespace: context.mappedNamespace(volumeSnapshotRef.namespace ?? ''), name };
      const restored = contentOnHandle(stored, { name, snapshot });
      const chosen = await classFor({ driver, className }, context, signal);
      const { volumeSnapshotClassName: _, ...spec } = restored.spec;
      const updated = {
        ...restored,
        metadata: { ...restored.metadata, labels: { ...item.metadata.labels } },
        spec: {
          ...spec,
          deletionPolicy: 'Retain',
          ...(chosen.name === undefined ? {} : { volumeSnapshotClassName: chosen.name }),
        },
      };
      const secrets = secretsIn(restored.metadata.annotations ?? {});
      const needed = [...secrets, ...(chosen.needed === undefined ? [] : [chosen.needed])];
      return withNeeded(updated as unknown as Unstructured, needed);
    },
  };
}
