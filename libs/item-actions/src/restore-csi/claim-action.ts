import { annotations, type PersistentVolumeClaim, persistentVolumeType } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { withoutAnnotations } from '../item/with-metadata.ts';

/** What the binder, the scheduler and backups have noted about a binding that is not there any more. */
const staleAnnotations: readonly string[] = [
  annotations.bindCompleted,
  annotations.boundByController,
  'volume.kubernetes.io/storage-provisioner',
  'volume.beta.kubernetes.io/storage-provisioner',
  annotations.selectedNode,
  annotations.volumeSnapshotName,
  annotations.dataUploadName,
];

/** Cleans a claim of its earlier binding, and has the volume that it was bound to restored before it (section 6). */
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
