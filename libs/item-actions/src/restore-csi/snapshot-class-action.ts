import type { VolumeSnapshotClass } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { secretsIn } from '../csi/snapshot-secrets.ts';
import { withNeeded } from './must-include.ts';

/** A class's Secrets are restored with it, whatever the filters say: without them its snapshots cannot be deleted. */
export const snapshotClassRestoreAction: RestoreItemAction = {
  name: 'velero.io/csi-volumesnapshotclass-restorer',
  appliesTo: { includedResources: ['volumesnapshotclasses.snapshot.storage.k8s.io'] },
  execute: async ({ item }) => {
    const { parameters = {} } = item as unknown as VolumeSnapshotClass;
    return withNeeded(item, secretsIn(item.metadata.annotations ?? {}, parameters));
  },
};
