import type { Pod } from '@lateen/api-types';
import type { BackupItemAction } from '../contract/backup-item-action.ts';
import { itemsOfPod } from '../pod-items.ts';

/** A pod's claims and its priority class are backed up with it. */
export const podAction: BackupItemAction = {
  name: 'velero.io/pod',
  appliesTo: { includedResources: ['pods'] },
  execute: async (item) => ({ item, additionalItems: itemsOfPod(item as unknown as Pod) }),
};
