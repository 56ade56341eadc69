import type { Pod } from '@lateen/api-types';
import type { RestoreItemAction } from '../contract/restore-item-action.ts';
import { claimsOf } from '../pod-items.ts';

/** The claims that a pod mounts come before it. */
export const claimsOfPodAction: RestoreItemAction = {
  name: 'velero.io/add-pvc-from-pod',
  appliesTo: { includedResources: ['pods'] },
  execute: async ({ item }) => ({ updatedItem: item, additionalItems: claimsOf(item as unknown as Pod) }),
};
