import type { Pod } from '@lateen/api-types';
import type { ItemBlockAction } from '../contract/item-block-action.ts';
import { itemsOfPod } from '../pod-items.ts';

/** Puts a pod into one block with its claims, so that the claims are read between the pre and post hooks of the pod. */
export const podBlockAction: ItemBlockAction = {
  name: 'velero.io/pod',
  appliesTo: { includedResources: ['pods'] },
  relatedItems: async (item) => itemsOfPod(item as unknown as Pod),
};
