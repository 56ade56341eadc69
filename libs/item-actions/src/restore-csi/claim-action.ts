import { annotations, type PersistentVolumeClaim, persistentVolumeType } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { withoutAnnotations } from '../item/with-metadata.ts';

/** Annotations of the binder, the scheduler and backups about a binding that no longer exists. */
const staleAnnotations: readonly string[] = [
  annotations.bindCompleted,
  annotations.boundByController,
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  annotations.selectedNode,
  annotations.volumeSnapshotName,
  annotations.dataUploadName,
];

/** Removes a claim's earlier binding, and has its volume restored before it (section 6). */
export const claimAction: RestoreItemAction = {
  name: 'velero.io/pvc',
  appliesTo: { includedResources: ['persistentvolumeclaims'] },
  execute: async ({ item, itemFromBackup }) => {
    const { spec, status } = itemFromBackup as unknown as PersistentVolumeClaim;
    const { group, resource } = persistentVolumeType;
    const name = status?.phase === 'Bound' ? (spec.volumeName ?? '') : '';
    return {
      updatedItem: withoutAnnotations(item, staleAnnotations),
      additionalItems: name === '' ? [] : [{ group, resource, name }],
    };
  },
};
